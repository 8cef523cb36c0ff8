#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "attacks/attack.hpp"
#include "harness/exchange/elements.hpp"
#include "harness/privacy/calibration.hpp"

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

// A candidate's part of <g> or <h>, whose entries have 32 or 64 bits on the wire.
class MaskedVector {
 public:
  MaskedVector() = default;
  MaskedVector(const Message& message, size_t first, size_t count);

  size_t size() const { return narrow_.size() + wide_.size(); }
  bool empty() const { return size() == 0; }
  int64_t operator[](size_t j) const { return wide_.empty() ? narrow_[j] : wide_[j]; }
  std::vector<int64_t> values() const;

 private:
  std::span<const int32_t> narrow_;
  std::span<const int64_t> wide_;
};

// One candidate of one node in MaskedXGBoost: PP's B and AP's answer.
struct MaskedCandidate {
  int tree = 0;
  const LevelView* level = nullptr;
  const NodeView* node = nullptr;
  CandidateHeader header;
  int W = 1;
  std::span<const int32_t> b;                // column after column
  MaskedVector g, h;                         // <g>, <h>; h empty in the gradient-only variant
  double step = 1;                           // of <g> and <h>
  double sigma2 = 1;                         // of b, in its steps, as agreed
  privacy::MaskedCalibration calibration{};  // of its level
};

// Visits all recorded exchanges of the first `attack.nodes` nodes of each tree. AP's answers are
// empty if only PP's noise was recorded. Returns how many there were.
size_t visit_masked(const AttackInput& input, const std::vector<TreeView>& trees,
                    const std::function<void(const MaskedCandidate&)>& visit);

// Why an attack that needs B or <g> has nothing to read; empty if masked sent them.
std::string missing_masked(const AttackInput& input);

bool has(const AttackInput& input, Kind kind);

}  // namespace maskbench
