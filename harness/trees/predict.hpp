#pragma once

#include <span>
#include <vector>

#include "harness/data/dataset.hpp"
#include "harness/data/party.hpp"
#include "harness/trees/tree.hpp"
#include "kernels/parallel.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// Adds a tree's weights to the margins of rows given by both parties' bins (cut as in training).
// Only the judge of an experiment holds both sides' rules; parties would route row by row.
void add_tree(const Tree& tree, std::span<const SplitRule> ap_rules,
              std::span<const SplitRule> pp_rules, const PartyData& ap, const PartyData& pp,
              ThreadPool& pool, std::span<float> margins);

// Margins of raw rows, by the thresholds of a saved model. Categories are matched by name; one that
// the model has not seen counts as missing. `key`: of the noise on PP's answers, if the model has
// any.
std::vector<float> predict_margins(const Model& model, const Dataset& data,
                                   const RandomKey& key = {});

// Which of the raw rows each of a party's rules sends left, rule after rule, each from a new 64-bit
// word on. The data need only have this party's columns.
std::vector<uint64_t> rule_bits(std::span<const SplitRule> rules,
                                const std::vector<FeatureInfo>& features, const Dataset& data);

// PP's part of a prediction of raw rows, by its part of a model: its rules' bits as above, and the
// answers of a model of its own that are added to the margins.
struct ValueAnswers {
  std::vector<uint64_t> rule_bits;
  std::vector<float> scores;
};
ValueAnswers value_answers(const Model& part, const Dataset& data, const RandomKey& key);

}  // namespace maskbench
