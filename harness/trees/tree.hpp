#pragma once

#include <cstdint>
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

struct Model {
  float base_margin = 0;
  Objective objective = Objective::classification;
  std::vector<Tree> trees;
  std::vector<SplitRule> ap_rules;
  std::vector<SplitRule> pp_rules;
  std::vector<FeatureInfo> ap_features;
  std::vector<FeatureInfo> pp_features;
};

}  // namespace maskbench
