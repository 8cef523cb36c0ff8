#pragma once

#include <functional>

#include "harness/data/party.hpp"
#include "harness/exchange/tree_rows.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

// A grown model as somebody sees it who holds both parties' data: level by level, the rows of every
// node. For the judge, after the training.
class Replay {
 public:
  Replay(const Model& model, const PartyData& ap, const PartyData& pp, ThreadPool& pool)
      : model_(model), ap_(ap), pp_(pp), pool_(pool), rows_(ap.bins.rows, pool) {}

  // Visits the levels that were searched for splits, then leaves() are the tree's.
  void tree(int number, int max_depth, const std::function<void(const Level&)>& visit);
  std::span<const LeafRows> leaves() const { return rows_.leaves(); }

 private:
  Level next(const Tree& tree, const Level& level);

  const Model& model_;
  const PartyData& ap_;
  const PartyData& pp_;
  ThreadPool& pool_;
  TreeRows rows_;
};

}  // namespace maskbench
