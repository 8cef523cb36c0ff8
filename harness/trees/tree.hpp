#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/choices.hpp"
#include "harness/base/party_id.hpp"
#include "harness/data/candidate.hpp"

namespace maskbench {

// Known to both parties: the shape of a tree and who owns each split, but not the split itself.
// `rule` points into the owner's own table.
struct TreeNode {
  int left = -1;  // -1: a leaf
  int right = -1;
  Party owner = Party::ap;
  int rule = -1;
  double gain = 0;
  float weight = 0;  // of a leaf, learning rate included; known to AP alone

  bool is_leaf() const { return left < 0; }
};

struct Tree {
  std::vector<TreeNode> nodes;  // node 0 is the root
};

// A feature as a model needs it: categories are coded by their place in this list.
struct FeatureInfo {
  std::string name;
  std::vector<std::string> categories;
};

// An ensemble that PP keeps to itself: AP learns one answer a row of it, when the model is used.
// Its splits are all PP's, by rules of its own.
struct PassiveScore {
  float base = 0;  // the mean of what it was fitted to: a share of positive labels
  std::vector<Tree> trees;
  std::vector<SplitRule> rules;
  float weight = 1;         // AP's factor on an answer that is added to the margin
  float bound = 0;          // answers are clipped to it if they are noised
  double eps_query = 0;     // of one answer; 0: in clear
  std::vector<float> cuts;  // not empty: the answer is the score's level between them, a feature
};

struct Model {
  float base_margin = 0;
  Objective objective = Objective::classification;
  std::vector<Tree> trees;
  std::vector<SplitRule> ap_rules;
  std::vector<SplitRule> pp_rules;
  std::vector<FeatureInfo> ap_features;
  std::vector<FeatureInfo> pp_features;
  std::optional<PassiveScore> pp_score;
};

}  // namespace maskbench
