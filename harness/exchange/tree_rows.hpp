#pragma once

#include <span>
#include <vector>

#include "harness/exchange/elements.hpp"
#include "harness/trees/row_sets.hpp"

namespace maskbench {

// A leaf of the tree just grown.
struct LeafRows {
  int node = 0;
  std::span<const uint32_t> rows;
};

// The nodes of the growing tree and their rows, as a party follows them from AP's verdicts and from
// what the owner of each split tells. Each party has its own; both number the nodes alike.
class TreeRows {
 public:
  TreeRows(size_t rows, ThreadPool& pool) : rows_(rows), pool_(pool) {}

  Level root(int tree);
  // Children of the nodes that split, in order. from_ap: the rows that go left of AP's and borrowed
  // splits, from_pp: of PP's, node after node.
  Level next(const Level& level, std::span<const Decision> decisions, const RowBits& from_ap,
             const RowBits& from_pp);
  // The last level: all its nodes are leaves.
  void settle(const Level& level);

  std::span<const LeafRows> leaves() const { return leaves_; }

 private:
  RowSets rows_;
  ThreadPool& pool_;
  int next_node_ = 1;
  std::vector<LeafRows> leaves_;
};

}  // namespace maskbench
