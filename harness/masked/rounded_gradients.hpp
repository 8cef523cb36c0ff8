#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "harness/privacy/masked_grid.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/row_sets.hpp"
#include "kernels/parallel.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// A node's grid that is finer than the gradients' (k < 0) needs no rounding: times 2^lift they are
// on it.
inline int lift_of(int shift) {
  return std::max(-shift, 0);
}

// g and h of a tree on the grid of the noise. A row is rounded without bias, floor(g / 2^k + u),
// and with the same u in all messages of a tree: no average of them tells more than one.
class RoundedGradients {
 public:
  RoundedGradients(RandomKey key, ThreadPool& pool) : key_(std::move(key)), pool_(pool) {}

  void begin_tree(int tree, const Gradients& clean);
  // To the grids of the level's nodes. True if rows have another grid than in the level above, so
  // that nothing can be subtracted from its sums.
  bool update(const Level& level, const privacy::MaskedGrid& grid);

  // Of all rows, in steps of 2^max(k, 0) of the gradients' grid.
  std::span<const GradientPair> rows() const { return exact_ ? clean_->rows : rounded_; }
  // k of each node of the level.
  std::span<const int> shifts() const { return shift_; }

 private:
  void round(std::span<const uint32_t> rows, int shift);

  RandomKey key_;
  ThreadPool& pool_;
  int tree_ = 0;
  const Gradients* clean_ = nullptr;
  bool exact_ = true;  // no row of the tree was rounded yet
  std::vector<GradientPair> rounded_;
  std::vector<int> shift_;
};

}  // namespace maskbench
