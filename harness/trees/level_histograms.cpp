#include "harness/trees/level_histograms.hpp"

namespace maskbench {

std::vector<BestSplit> LevelHistograms::found() {
  std::vector<BestCandidate> best(nodes_);
  histograms_->found(best);
  std::vector<BestSplit> splits;
  for (const BestCandidate& b : best) splits.push_back(as_split(data_, b));
  return splits;
}

std::vector<uint32_t> LevelHistograms::left_counts() {
  std::vector<uint32_t> counts(nodes_ * data_.candidates.size());
  histograms_->left_counts(counts);
  return counts;
}

BestSplit as_split(const PartyData& data, const BestCandidate& best) {
  if (best.candidate == kNoCandidate) return {};
  return {best.score, data.candidates[best.candidate]};
}

}  // namespace maskbench
