#include "harness/trees/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "harness/base/error.hpp"
#include "harness/trees/passive_score.hpp"

namespace maskbench {

namespace {

constexpr size_t kScoreChunk = 1 << 12;

// A node with its owner's rule looked up: all that is needed to route a row by bins.
struct Step {
  const uint8_t* column;
  size_t stride;
  int missing_bin;
  Candidate candidate;
};

}  // namespace

void add_tree(const Tree& tree, std::span<const SplitRule> ap_rules,
              std::span<const SplitRule> pp_rules, const PartyData& ap, const PartyData& pp,
              ThreadPool& pool, std::span<float> margins) {
  std::vector<Step> steps(tree.nodes.size());
  for (size_t k = 0; k < steps.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    if (node.is_leaf()) continue;
    const PartyData& owner = node.owner == Party::ap ? ap : pp;
    const Candidate& c =
        (node.owner == Party::ap ? ap_rules : pp_rules)[static_cast<size_t>(node.rule)].candidate;
    steps[k] = {owner.bins.bins.data() + c.feature, static_cast<size_t>(owner.bins.features),
                owner.cuts[c.feature].missing_bin(), c};
  }
  pool.run((margins.size() + kScoreChunk - 1) / kScoreChunk, [&](size_t chunk, int) {
    const size_t end = std::min((chunk + 1) * kScoreChunk, margins.size());
    for (size_t row = chunk * kScoreChunk; row < end; ++row) {
      size_t k = 0;
      while (!tree.nodes[k].is_leaf()) {
        const Step& step = steps[k];
        const bool left =
            goes_left(step.candidate, step.missing_bin, step.column[row * step.stride]);
        k = static_cast<size_t>(left ? tree.nodes[k].left : tree.nodes[k].right);
      }
      margins[row] += tree.nodes[k].weight;
    }
  });
}

namespace {

// The columns a model asks for, in the model's own category codes.
class ModelColumns {
 public:
  ModelColumns(const Model& model, const Dataset& data) : data_(data) {
    for (const Column& column : data.features) of_name_.emplace(column.name, &column);
    for (const auto* features : {&model.ap_features, &model.pp_features}) {
      for (const FeatureInfo& feature : *features) add(feature);
    }
  }

  const float* values(const SplitRule& rule) const { return columns_.at(rule.feature).data(); }
  size_t rows() const { return data_.rows(); }
  void add(const std::string& name, std::vector<float> values) {
    columns_[name] = std::move(values);
  }

 private:
  void add(const FeatureInfo& feature) {
    const auto named = of_name_.find(feature.name);
    if (named == of_name_.end()) {
      throw Error(
          fmt::format("{}: no column '{}', which the model needs", data_.path, feature.name));
    }
    const Column* found = named->second;
    if (found->is_categorical() == feature.categories.empty()) {
      throw Error(fmt::format("{}: column '{}' holds {}; the model was trained on {}", data_.path,
                              feature.name, found->is_categorical() ? "text" : "numbers",
                              found->is_categorical() ? "numbers" : "text"));
    }
    columns_[feature.name] = recode(*found, feature);
  }

  static std::vector<float> recode(const Column& column, const FeatureInfo& feature) {
    std::vector<float> values = column.values;
    if (feature.categories.empty()) return values;
    const float missing = std::numeric_limits<float>::quiet_NaN();
    std::unordered_map<std::string_view, float> code_of;
    for (size_t k = 0; k < feature.categories.size(); ++k)
      code_of.emplace(feature.categories[k], static_cast<float>(k));
    std::vector<float> codes;
    for (const std::string& name : column.categories) {
      const auto found = code_of.find(name);
      codes.push_back(found == code_of.end() ? missing : found->second);
    }
    for (float& v : values) {
      if (!std::isnan(v)) v = codes[static_cast<size_t>(v)];
    }
    return values;
  }

  const Dataset& data_;
  std::unordered_map<std::string_view, const Column*> of_name_;
  std::unordered_map<std::string, std::vector<float>> columns_;
};

void add_tree(const Tree& tree, const std::vector<SplitRule>& ap_rules,
              const std::vector<SplitRule>& pp_rules, const ModelColumns& columns,
              std::vector<float>& margins) {
  std::vector<const float*> values(tree.nodes.size(), nullptr);
  std::vector<const SplitRule*> rules(tree.nodes.size(), nullptr);
  for (size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    if (node.is_leaf()) continue;
    rules[k] = &(node.owner == Party::ap ? ap_rules : pp_rules)[static_cast<size_t>(node.rule)];
    values[k] = columns.values(*rules[k]);
  }
  for (size_t row = 0; row < margins.size(); ++row) {
    size_t k = 0;
    while (!tree.nodes[k].is_leaf()) {
      const float x = values[k][row];
      const bool left = std::isnan(x) ? rules[k]->missing_left : x <= rules[k]->threshold;
      k = static_cast<size_t>(left ? tree.nodes[k].left : tree.nodes[k].right);
    }
    margins[row] += tree.nodes[k].weight;
  }
}

// PP's answers that are added to the margins. Levels become a column instead, and none are left.
std::vector<float> added_answers(const PassiveScore& score, const RandomKey& key,
                                 ModelColumns& columns) {
  std::vector<float> answers(columns.rows(), score.base);
  for (const Tree& tree : score.trees) add_tree(tree, {}, score.rules, columns, answers);
  for (float& sum : answers) sum = score_of(score, sum);
  answer(score, key, answers);
  if (score.cuts.empty()) return answers;
  columns.add(kScoreFeature, std::move(answers));
  return {};
}

std::vector<uint64_t> bits_of(std::span<const SplitRule> rules, const ModelColumns& columns) {
  const size_t rows = columns.rows(), words = (rows + 63) / 64;
  std::vector<uint64_t> bits(rules.size() * words);
  for (size_t k = 0; k < rules.size(); ++k) {
    const float* values = columns.values(rules[k]);
    for (size_t row = 0; row < rows; ++row) {
      const float x = values[row];
      const bool left = std::isnan(x) ? rules[k].missing_left : x <= rules[k].threshold;
      bits[k * words + row / 64] |= uint64_t{left} << (row % 64);
    }
  }
  return bits;
}

}  // namespace

std::vector<uint64_t> rule_bits(std::span<const SplitRule> rules,
                                const std::vector<FeatureInfo>& features, const Dataset& data) {
  Model part;
  part.ap_features = features;
  return bits_of(rules, ModelColumns(part, data));
}

ValueAnswers value_answers(const Model& part, const Dataset& data, const RandomKey& key) {
  ModelColumns columns(part, data);
  ValueAnswers out;
  if (part.pp_score) out.scores = added_answers(*part.pp_score, key, columns);
  out.rule_bits = bits_of(part.pp_rules, columns);
  return out;
}

std::vector<float> predict_margins(const Model& model, const Dataset& data, const RandomKey& key) {
  ModelColumns columns(model, data);
  std::vector<float> margins(data.rows(), model.base_margin);
  if (model.pp_score) {
    const std::vector<float> answers = added_answers(*model.pp_score, key, columns);
    for (size_t row = 0; row < answers.size(); ++row)
      margins[row] += model.pp_score->weight * answers[row];
  }
  for (const Tree& tree : model.trees)
    add_tree(tree, model.ap_rules, model.pp_rules, columns, margins);
  return margins;
}

}  // namespace maskbench
