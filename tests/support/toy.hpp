#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness/data/dataset.hpp"
#include "harness/data/whole_party.hpp"
#include "harness/exchange/training.hpp"

namespace maskbench::toy {

// Random data with few and many distinct values, missing cells and a learnable label.
inline Dataset dataset(size_t rows, int features, uint32_t seed, double missing = 0.1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> uniform;
  Dataset data;
  data.labels.resize(rows);
  std::vector<float> signal(rows, 0.0f);
  for (int f = 0; f < features; ++f) {
    Column column{"f" + std::to_string(f), {}, {}};
    for (size_t j = 0; j < rows; ++j) {
      float x = normal(random);
      if (f % 3 == 1) x = std::round(x);
      signal[j] += (f % 2 == 0 ? 0.8f : -0.5f) * x + 0.3f * x * x * static_cast<float>(f % 4 == 3);
      if (f % 2 == 1 && uniform(random) < missing) x = std::numeric_limits<float>::quiet_NaN();
      column.values.push_back(x);
    }
    data.features.push_back(std::move(column));
  }
  for (size_t j = 0; j < rows; ++j) data.labels[j] = signal[j] + normal(random) > 0 ? 1.0f : 0.0f;
  return data;
}

struct Parties {
  Dataset data;
  PartyData ap;
  PartyData pp;
};

// The first half of the features is AP's.
inline Parties parties(size_t rows, int features, uint32_t seed, int max_bins = 32) {
  Parties out;
  out.data = dataset(rows, features, seed);
  out.ap = whole_party(out.data, 0, features / 2, max_bins);
  out.pp = whole_party(out.data, features / 2, features, max_bins);
  return out;
}

inline TrainResult train(const Method& method, const RunSpec& spec, const Parties& parties,
                         int threads, Records& records, const TrainHooks& hooks = {}) {
  ThreadPool pool(threads);
  const PartyKey key(spec.seed, spec.noise.generator);
  return maskbench::train(
      {method, spec, parties.ap, parties.data.labels, parties.pp, pool, key, key, spec.seed},
      records, hooks);
}

inline TrainResult train(const Method& method, const RunSpec& spec, const Parties& parties,
                         int threads) {
  Records records;
  return train(method, spec, parties, threads, records);
}

// All that can differ between two models, as text.
inline std::string fingerprint(const std::vector<Tree>& trees,
                               std::initializer_list<const std::vector<SplitRule>*> tables) {
  std::string text;
  for (const Tree& tree : trees) {
    for (const TreeNode& node : tree.nodes) {
      text += std::to_string(node.left) + ' ' + std::to_string(node.right) + ' ' +
              std::to_string(static_cast<int>(node.owner)) + ' ' + std::to_string(node.rule) + ' ' +
              std::to_string(node.weight) + '\n';
    }
  }
  for (const auto* rules : tables) {
    for (const SplitRule& rule : *rules) {
      text += rule.feature + ' ' + std::to_string(rule.threshold) + ' ' +
              std::to_string(rule.missing_left) + '\n';
    }
  }
  return text;
}

inline std::string fingerprint(const Model& model) {
  std::string text = fingerprint(model.trees, {&model.ap_rules, &model.pp_rules});
  if (model.pp_score) text += fingerprint(model.pp_score->trees, {&model.pp_score->rules});
  return text;
}

}  // namespace maskbench::toy
