#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/exchange/tree_rows.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

// A finished tree as one party keeps it, so that a training that was cut short can go on after it.
struct PastTree {
  Tree tree;                          // AP's
  std::vector<SplitRule> rules;       // those of this tree that the party owns, in order
  std::vector<uint32_t> leaf_of_row;  // node number; empty: the party does not follow the leaves
};

std::vector<uint32_t> leaf_of_each_row(std::span<const LeafRows> leaves, size_t rows);

// The leaves of a past tree, as they were.
class PastLeaves {
 public:
  explicit PastLeaves(std::span<const uint32_t> leaf_of_row);
  std::span<const LeafRows> leaves() const { return leaves_; }

 private:
  std::vector<std::vector<uint32_t>> rows_;
  std::vector<LeafRows> leaves_;
};

// How a training goes on: what was, what to do once the parties are in step again (before the first
// new tree), and who keeps the new trees.
struct Continuation {
  std::vector<PastTree> past;
  std::function<void()> in_step;
  std::function<void(int number, PastTree tree)> keep;
};

}  // namespace maskbench
