#include "harness/trees/model_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/trees/passive_score.hpp"

namespace maskbench {

namespace {

using Json = nlohmann::json;
constexpr const char* kFormat = "maskbench-model-1";

// JSON has no infinity; a threshold that every value meets is written as null.
Json number(float v) {
  return std::isinf(v) ? Json(nullptr) : Json(v);
}
float finite(const Json& v) {
  const auto wide = v.get<double>();
  if (!(std::abs(wide) <= std::numeric_limits<float>::max()))
    throw Error("a number of it is out of range");
  return static_cast<float>(wide);
}
float number(const Json& v) {
  return v.is_null() ? std::numeric_limits<float>::infinity() : finite(v);
}
int whole(const Json& v) {
  // Asked first: a float beyond its range must not be turned into an integer.
  const auto wide = v.is_number_integer() ? v.get<int64_t>() : -1;
  if (wide < 0 || wide > std::numeric_limits<int>::max())
    throw Error("a place in it is no number from 0 on");
  return static_cast<int>(wide);
}

const Json& list(const Json& in, const char* key) {
  const Json& found = in.at(key);
  if (!found.is_array()) throw Error(fmt::format("'{}' in it is no list", key));
  return found;
}
void refuse_twice(std::vector<std::string> names, const char* what) {
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end())
    throw Error(fmt::format("{} stands in it twice", what));
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

std::vector<FeatureInfo> read_features(const Json& in) {
  std::vector<FeatureInfo> features;
  std::vector<std::string> names;
  for (const Json& f : list(in, "features")) {
    features.push_back({f.at("name"), f.at("categories").get<std::vector<std::string>>()});
    refuse_twice(features.back().categories, "a category");
    names.push_back(features.back().name);
  }
  refuse_twice(std::move(names), "a feature");
  return features;
}

std::vector<SplitRule> read_rules(const Json& in, const std::vector<FeatureInfo>& features) {
  std::vector<SplitRule> rules;
  std::unordered_set<std::string_view> names;
  for (const FeatureInfo& feature : features) names.insert(feature.name);
  for (const Json& r : list(in, "rules")) {
    rules.push_back({r.at("feature"), number(r.at("threshold")), r.at("missing_left"), {}});
    if (!names.contains(rules.back().feature)) throw Error("a rule's feature is not in its list");
  }
  return rules;
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
      node.weight = finite(n.at("leaf"));
    } else {
      node.left = whole(n.at("left"));
      node.right = whole(n.at("right"));
      const auto owner = from_name<Party>(n.at("owner").get<std::string>());
      if (!owner) throw Error("a split's owner is neither AP nor PP");
      node.owner = *owner;
      node.rule = whole(n.at("rule"));
      node.gain = n.at("gain").get<double>();
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

PassiveScore read_score(const Json& in, const std::vector<FeatureInfo>& features) {
  PassiveScore score;
  score.rules = read_rules(in, features);
  score.base = finite(in.at("base"));
  score.bound = finite(in.at("bound"));
  score.eps_query = in.at("eps_query");
  for (const Json& cut : list(in, "cuts")) score.cuts.push_back(finite(cut));
  if (score.cuts.size() > 255) throw Error("PP's score has more than 256 levels");
  if (!(score.eps_query >= 0) || !std::ranges::is_sorted(score.cuts))
    throw Error("PP's score has a negative budget or levels out of order");
  for (const Json& nodes : list(in, "trees"))
    score.trees.push_back(read_tree(nodes, {}, score.rules));  // no split can be AP's
  return score;
}

void write(const Folder& folder, const std::string& name, const Json& json) {
  // A name of a column may be any bytes; JSON has only UTF-8.
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  folder.write(name, "." + name + ".tmp", text + "\n");
}

// One party's file.
struct Part {
  std::string path;
  std::optional<std::string> text;

  Json parsed() const {
    if (!text) throw Error("there is none; a model is a folder with ap.json and pp.json");
    Json json = Json::parse(*text);
    if (json.at("format") != kFormat) throw Error("not of format " + std::string(kFormat));
    return json;
  }
};

// AP's part. `pp_rules`: those that its trees may point to.
void read_active(const Json& ap, const std::vector<SplitRule>& pp_rules, Model& model) {
  model.ap_features = read_features(ap);
  model.ap_rules = read_rules(ap, model.ap_features);
  const std::string objective = ap.at("objective");
  if (!from_name<Objective>(objective)) throw Error("its objective is unknown");
  model.objective = *from_name<Objective>(objective);
  model.base_margin = finite(ap.at("base_margin"));
  for (const Json& nodes : list(ap, "trees"))
    model.trees.push_back(read_tree(nodes, model.ap_rules, pp_rules));
  if (model.pp_score) model.pp_score->weight = finite(ap.at("pp_weight"));
}

void read_passive(const Json& pp, Model& model) {
  model.pp_features = read_features(pp);
  std::vector<FeatureInfo> lent = model.pp_features;
  if (pp.contains("score")) {
    model.pp_score = read_score(pp.at("score"), model.pp_features);
    lent.push_back({kScoreFeature, {}});
  }
  model.pp_rules = read_rules(pp, lent);
}

// PP's rules are not at hand: there are no more of them than nodes.
std::vector<SplitRule> unknown_rules(const Json& ap) {
  size_t nodes = 0;
  for (const Json& tree : ap.at("trees")) nodes += tree.size();
  return std::vector<SplitRule>(nodes);
}

// Null: that part is not asked for.
Model model_of(const Part* ap, const Part* pp) {
  Model model;
  const Part* current = pp;
  const auto not_a_model = [&](const std::string& why) {
    return Error(fmt::format("{}: not a model: {}", current->path, why));
  };
  try {
    if (pp != nullptr) read_passive(pp->parsed(), model);
    current = ap;
    if (ap == nullptr) return model;
    const Json json = ap->parsed();
    if (pp == nullptr && json.contains("pp_weight"))
      model.pp_score.emplace();  // PP keeps the rest of it
    read_active(json, pp != nullptr ? model.pp_rules : unknown_rules(json), model);
  } catch (const Json::parse_error&) {
    throw not_a_model("it is no JSON");
  } catch (const Json::exception&) {
    throw not_a_model("a field is missing or of another kind");
  } catch (const Error& error) {
    throw not_a_model(error.what());
  }
  return model;
}

Model load_parts(const std::string& directory, bool with_ap, bool with_pp) {
  const auto folder = Folder::existing(directory);
  if (!folder) throw Error(directory + ": no such folder; a model has ap.json and pp.json in it");
  const auto part = [&](const char* name) {
    return Part{folder->path_of(name), folder->read(name)};
  };
  std::optional<Part> pp, ap;
  if (with_pp) pp = part("pp.json");
  if (with_ap) ap = part("ap.json");
  return model_of(ap ? &*ap : nullptr, pp ? &*pp : nullptr);
}

}  // namespace

void save_model_part(const Model& model, Party party, const std::string& directory) {
  const Folder folder = Folder::made(directory);
  if (party == Party::pp) {
    Json pp = party_json(model.pp_rules, model.pp_features);
    if (model.pp_score) pp["score"] = score_json(*model.pp_score);
    return write(folder, "pp.json", pp);
  }
  Json ap = party_json(model.ap_rules, model.ap_features);
  ap["objective"] = name_of(model.objective);
  ap["base_margin"] = model.base_margin;
  ap["trees"] = trees_json(model.trees);
  if (model.pp_score) ap["pp_weight"] = model.pp_score->weight;
  write(folder, "ap.json", ap);
}

void save_model(const Model& model, const std::string& directory) {
  save_model_part(model, Party::pp, directory);
  save_model_part(model, Party::ap, directory);
}

Model load_model(const std::string& directory) {
  return load_parts(directory, true, true);
}

Model parse_model(std::string ap_json, std::string pp_json) {
  const Part ap{"ap.json", std::move(ap_json)}, pp{"pp.json", std::move(pp_json)};
  return model_of(&ap, &pp);
}

Model load_model_part(const std::string& directory, Party party) {
  return load_parts(directory, party == Party::ap, party == Party::pp);
}

}  // namespace maskbench
