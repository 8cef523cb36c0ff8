#pragma once

#include <limits>
#include <vector>

#include "harness/core/gradients.hpp"
#include "harness/core/party.hpp"
#include "harness/core/row_sets.hpp"
#include "kernels/score.hpp"

namespace maskbench {

inline constexpr double kNoSplit = -std::numeric_limits<double>::infinity();
inline constexpr double kMinGain = 1e-6;  // as XGBoost's: below it a split is rounding

struct BestSplit {
  double score = kNoSplit;
  Candidate candidate;

  bool found() const { return score > kMinGain; }
};

// Finds each node's best split over one party's features by histograms. Builds only the smaller of
// two siblings; the other is parent minus sibling (exact in integers).
class SplitSearch {
 public:
  SplitSearch(const PartyData& data, const ScoreParams& params, ThreadPool& pool);

  // Levels of a tree must come in order, starting with the root, all with the same gradients.
  std::vector<BestSplit> best_splits(const Level& level, const Gradients& gradients);

  // The histogram of a node of the last level searched.
  std::span<const GradientSum> histogram(size_t place) const;

 private:
  void build(const Level& level, const std::vector<size_t>& places, const Gradients& gradients);
  void finish_node(const Level& level, size_t place);
  std::span<GradientSum> current(size_t place);

  const PartyData& data_;
  ScoreParams params_;
  ThreadPool& pool_;
  size_t bins_;
  std::vector<GradientSum> histograms_;            // of the level, node after node
  std::vector<GradientSum> previous_;              // of the level above
  std::vector<std::vector<GradientSum>> partial_;  // a worker's share of a node's histogram
  std::vector<std::vector<uint8_t>> touched_;
  std::vector<std::vector<int64_t>> packed_;
};

// The best split in a histogram, given the node's total.
BestSplit best_in_histogram(const PartyData& data, std::span<const GradientSum> histogram,
                            const FixedPoint& grid, const ScoreParams& params);

}  // namespace maskbench
