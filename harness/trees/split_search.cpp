#include "harness/trees/split_search.hpp"

namespace maskbench {

std::vector<BestSplit> best_in_histograms(kernels::Backend& backend, const PartyData& data,
                                          std::span<const GradientSum> histograms,
                                          const FixedPoint& grid, const ScoreParams& params) {
  std::vector<BestCandidate> best(histograms.size() / data.offsets.back());
  backend.score_histograms({data.layout, histograms, grid.step(), params}, best);
  std::vector<BestSplit> splits;
  for (const BestCandidate& b : best) {
    splits.push_back(b.candidate == kNoCandidate
                         ? BestSplit{}
                         : BestSplit{b.score, data.candidates[b.candidate]});
  }
  return splits;
}

SplitSearch::SplitSearch(const PartyData& data, const ScoreParams& params, const Compute& compute)
    : data_(data), params_(params), histograms_(data, compute) {}

std::vector<BestSplit> SplitSearch::best_splits(const Level& level, const Gradients& gradients,
                                                bool fresh) {
  histograms_.update(level, gradients.rows, fresh);
  return best_in_histograms(histograms_.backend(), data_, histograms_.all(), gradients.grid,
                            params_);
}

}  // namespace maskbench
