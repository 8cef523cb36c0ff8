#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "attacks/attack.hpp"
#include "harness/exchange/elements.hpp"

// The recorded messages put in order, as either party can put them.
namespace maskbench {

struct NodeView {
  int node = 0;
  std::vector<uint32_t> rows;
  std::vector<int64_t> totals = {};  // G, H on the tree's grid, if the protocol tells them
};

struct LevelView {
  int exponent = 0;  // of the grid of the totals and gradients
  std::vector<NodeView> nodes;
};

// Levels of each recorded tree, from AP's decisions and both parties' row sets. Empty levels where
// a protocol tells none.
struct TreeView {
  int tree = 0;
  std::vector<LevelView> levels;
};
std::vector<TreeView> tree_views(const AttackInput& input);

// One candidate of one node in MaskedXGBoost: PP's B and AP's answer.
struct MaskedCandidate {
  int tree = 0;
  const LevelView* level = nullptr;
  const NodeView* node = nullptr;
  CandidateHeader header;
  int W = 1;
  std::span<const int32_t> b;     // column after column
  std::span<const int64_t> g, h;  // <g>, <h>; h empty in the gradient-only variant
  double step = 1;                // of <g> and <h>
};

// Visits all recorded exchanges of the first `attack.nodes` nodes of each tree. AP's answers are
// empty if only PP's noise was recorded. Returns how many there were.
size_t visit_masked(const AttackInput& input, const std::vector<TreeView>& trees,
                    const std::function<void(const MaskedCandidate&)>& visit);

// Why an attack that needs B or <g> has nothing to read; empty if masked sent them.
std::string missing_masked(const AttackInput& input);

bool has(const AttackInput& input, Kind kind);

}  // namespace maskbench
