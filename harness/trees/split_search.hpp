#pragma once

#include <vector>

#include "harness/data/party.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/level_histograms.hpp"
#include "harness/trees/row_sets.hpp"
#include "kernels/score.hpp"

namespace maskbench {

// Finds each node's best split over one party's features by histograms.
class SplitSearch {
 public:
  SplitSearch(const PartyData& data, const ScoreParams& params, const Compute& compute)
      : params_(params), histograms_(data, compute) {}

  // Levels of a tree must come in order, starting with the root, all with the same gradients.
  // `fresh`: see LevelHistograms::update.
  std::vector<BestSplit> best_splits(const Level& level, const Gradients& gradients,
                                     bool fresh = false) {
    return begin(level, gradients, fresh).found();
  }
  // The same for whoever has other things to do before it asks what was found.
  LevelHistograms& begin(const Level& level, const Gradients& gradients, bool fresh = false) {
    histograms_.update(level, gradients.rows, fresh);
    histograms_.search(gradients.grid, params_);
    return histograms_;
  }

 private:
  ScoreParams params_;
  LevelHistograms histograms_;
};

// The best splits in histograms on the host, those of one node after those of another.
std::vector<BestSplit> best_in_histograms(ThreadPool& pool, const PartyData& data,
                                          std::span<const GradientSum> histograms,
                                          const FixedPoint& grid, const ScoreParams& params);

}  // namespace maskbench
