#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maskbench {

enum class Party : uint8_t { ap, pp };

inline Party other(Party p) {
  return p == Party::ap ? Party::pp : Party::ap;
}
inline const char* name_of(Party p) {
  return p == Party::ap ? "AP" : "PP";
}

// A candidate split of one party: rows with bin <= `bin` go left; missing values go where
// `missing_left` says.
struct Candidate {
  uint16_t feature = 0;  // index within the party's features
  uint8_t bin = 0;
  bool missing_left = false;
  bool operator==(const Candidate&) const = default;
};

// The same in the units of the data: what a party keeps of a split it owns.
struct SplitRule {
  std::string feature;
  float threshold = 0;  // left iff x <= threshold
  bool missing_left = false;
  Candidate candidate;
};

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
  std::string objective = "classification";
  std::vector<Tree> trees;
  std::vector<SplitRule> ap_rules;
  std::vector<SplitRule> pp_rules;
  std::vector<FeatureInfo> ap_features;
  std::vector<FeatureInfo> pp_features;
};

}  // namespace maskbench
