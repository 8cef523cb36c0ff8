#include "harness/trees/model_io.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"

namespace maskbench {

namespace {

using Json = nlohmann::json;
constexpr const char* kFormat = "maskbench-model-1";

// JSON has no infinity; a threshold that every value meets is written as null.
Json number(float v) {
  return std::isinf(v) ? Json(nullptr) : Json(v);
}
float number(const Json& v) {
  return v.is_null() ? std::numeric_limits<float>::infinity() : v.get<float>();
}

Json party_json(const std::vector<SplitRule>& rules, const std::vector<FeatureInfo>& features) {
  Json out = {{"format", kFormat}, {"features", Json::array()}, {"rules", Json::array()}};
  for (const FeatureInfo& f : features) {
    out["features"].push_back({{"name", f.name}, {"categories", f.categories}});
  }
  for (const SplitRule& r : rules) {
    out["rules"].push_back({{"feature", r.feature},
                            {"threshold", number(r.threshold)},
                            {"missing_left", r.missing_left}});
  }
  return out;
}

void read_party(const Json& in, std::vector<SplitRule>& rules, std::vector<FeatureInfo>& features) {
  for (const Json& f : in.at("features")) {
    features.push_back({f.at("name"), f.at("categories").get<std::vector<std::string>>()});
  }
  for (const Json& r : in.at("rules")) {
    rules.push_back({r.at("feature"), number(r.at("threshold")), r.at("missing_left"), {}});
  }
}

Json trees_json(const std::vector<Tree>& trees) {
  Json out = Json::array();
  for (const Tree& tree : trees) {
    Json nodes = Json::array();
    for (const TreeNode& n : tree.nodes) {
      nodes.push_back(n.is_leaf() ? Json{{"leaf", n.weight}}
                                  : Json{{"left", n.left},
                                         {"right", n.right},
                                         {"owner", name_of(n.owner)},
                                         {"rule", n.rule},
                                         {"gain", n.gain}});
    }
    out.push_back(std::move(nodes));
  }
  return out;
}

// Children come after their parent, so that a walk down the tree ends.
bool is_child(int child, size_t parent, size_t nodes) {
  return child > static_cast<int>(parent) && child < static_cast<int>(nodes);
}

Tree read_tree(const Json& nodes, const std::vector<SplitRule>& ap_rules,
               const std::vector<SplitRule>& pp_rules) {
  Tree tree;
  for (const Json& n : nodes) {
    TreeNode node;
    if (n.contains("leaf")) {
      node.weight = n.at("leaf");
    } else {
      node.left = n.at("left");
      node.right = n.at("right");
      const auto owner = from_name<Party>(n.at("owner").get<std::string>());
      if (!owner) throw Error("a split's owner is neither AP nor PP");
      node.owner = *owner;
      node.rule = n.at("rule");
      node.gain = n.at("gain");
      const auto& rules = node.owner == Party::ap ? ap_rules : pp_rules;
      const size_t place = tree.nodes.size();
      if (!is_child(node.left, place, nodes.size()) || !is_child(node.right, place, nodes.size()) ||
          node.rule < 0 || node.rule >= static_cast<int>(rules.size())) {
        throw Error("a tree points outside the model");
      }
    }
    tree.nodes.push_back(node);
  }
  if (tree.nodes.empty()) throw Error("a tree has no node");
  return tree;
}

// PP's own part of a model. The weight is AP's.
Json score_json(const PassiveScore& score) {
  Json out = party_json(score.rules, {});
  out["base"] = score.base;
  out["trees"] = trees_json(score.trees);
  out["bound"] = score.bound;
  out["eps_query"] = score.eps_query;
  out["cuts"] = score.cuts;
  return out;
}

PassiveScore read_score(const Json& in) {
  PassiveScore score;
  std::vector<FeatureInfo> none;
  read_party(in, score.rules, none);
  score.base = in.at("base");
  score.bound = in.at("bound");
  score.eps_query = in.at("eps_query");
  score.cuts = in.at("cuts").get<std::vector<float>>();
  if (score.cuts.size() > 255) throw Error("PP's score has more than 256 levels");
  for (const Json& nodes : in.at("trees"))
    score.trees.push_back(read_tree(nodes, {}, score.rules));  // no split can be AP's
  return score;
}

void write_file(const std::filesystem::path& path, const Json& json) {
  std::ofstream out(path);
  out << json.dump(1) << '\n';
  if (!out.flush()) throw Error(fmt::format("{}: cannot write; is the disk full?", path.string()));
}

Json read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in)
    throw Error(fmt::format("{}: cannot open; a model is a folder with ap.json and pp.json",
                            path.string()));
  Json json = Json::parse(in);
  if (json.at("format") != kFormat) throw Error("not of format " + std::string(kFormat));
  return json;
}

}  // namespace

void save_model(const Model& model, const std::string& directory) {
  const std::filesystem::path folder(directory);
  std::filesystem::create_directories(folder);
  Json ap = party_json(model.ap_rules, model.ap_features);
  ap["objective"] = name_of(model.objective);
  ap["base_margin"] = model.base_margin;
  ap["trees"] = trees_json(model.trees);
  Json pp = party_json(model.pp_rules, model.pp_features);
  if (model.pp_score) {
    ap["pp_weight"] = model.pp_score->weight;
    pp["score"] = score_json(*model.pp_score);
  }
  write_file(folder / "ap.json", ap);
  write_file(folder / "pp.json", pp);
}

Model load_model(const std::string& directory) {
  Model model;
  std::filesystem::path path;
  try {
    path = std::filesystem::path(directory) / "pp.json";
    const Json pp = read_file(path);
    read_party(pp, model.pp_rules, model.pp_features);
    if (pp.contains("score")) model.pp_score = read_score(pp.at("score"));
    path = std::filesystem::path(directory) / "ap.json";
    const Json ap = read_file(path);
    read_party(ap, model.ap_rules, model.ap_features);
    const std::string objective = ap.at("objective");
    if (!from_name<Objective>(objective)) throw Error("its objective is unknown: " + objective);
    model.objective = *from_name<Objective>(objective);
    model.base_margin = ap.at("base_margin");
    for (const Json& nodes : ap.at("trees"))
      model.trees.push_back(read_tree(nodes, model.ap_rules, model.pp_rules));
    if (model.pp_score) model.pp_score->weight = ap.at("pp_weight");
  } catch (const Json::exception& e) {
    throw Error(fmt::format("{}: not a model: {}", path.string(), e.what()));
  } catch (const Error& e) {
    const std::string text = e.what();
    throw Error(text.starts_with(directory)
                    ? text
                    : fmt::format("{}: not a model: {}", path.string(), text));
  }
  return model;
}

}  // namespace maskbench
