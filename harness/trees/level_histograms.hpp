#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/trees/compute.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/row_sets.hpp"

namespace maskbench {

inline constexpr double kMinGain = 1e-6;  // as XGBoost's: below it a split is rounding

struct BestSplit {
  double score = kNoSplit;
  Candidate candidate;
};

BestSplit as_split(const PartyData& data, const BestCandidate& best);

// The histograms of all nodes of a level over one party's features, kept where they are computed.
class LevelHistograms {
 public:
  LevelHistograms(const PartyData& data, const Compute& compute)
      : data_(data), backend_(compute.backend(data)), histograms_(backend_->histograms()) {}

  // Levels of a tree must come in order, starting with the root, all with the same gradients, which
  // stay where they are. With gradients that change from level to level nothing can be subtracted:
  // say `fresh`.
  void update(const Level& level, std::span<const GradientPair> gradients, bool fresh = false) {
    backend_->begin_level(level);
    histograms_->update(gradients, fresh || level.depth == 0, fresh);
    nodes_ = level.nodes.size();
  }
  // The same with gradients that are those of the last call in all trees.
  void update_unchanged(const Level& level, std::span<const GradientPair> gradients) {
    backend_->begin_level(level);
    histograms_->update(gradients, nodes_ == 0, false);
    nodes_ = level.nodes.size();
  }

  // Begins to search the best split of each node. responses: of the features, to be undone; empty:
  // none.
  void search(const FixedPoint& grid, const ScoreParams& params,
              std::span<const Response> responses = {}) {
    histograms_->search({grid.step(), params, responses});
  }
  std::vector<BestSplit> found();  // waits for them
  // Of gradients {1, 0}: rows left of each candidate, node after node.
  std::vector<uint32_t> left_counts();

  // Of a node of the last level, on the host; see PartyData::offsets for its layout.
  std::span<const GradientSum> operator[](size_t place) {
    const size_t bins = data_.offsets.back();
    return histograms_->read().subspan(place * bins, bins);
  }

  kernels::Histograms& kept() { return *histograms_; }

 private:
  const PartyData& data_;
  std::shared_ptr<kernels::Backend> backend_;
  std::unique_ptr<kernels::Histograms> histograms_;
  size_t nodes_ = 0;
};

}  // namespace maskbench
