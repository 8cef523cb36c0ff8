#include "harness/core/split_search.hpp"

namespace maskbench {

namespace {

// Scores candidates one after the other and keeps the first best.
class Scorer {
 public:
  Scorer(GradientSum total, const FixedPoint& grid, const ScoreParams& params)
      : params_(params), step_(grid.step()), total_(total) {
    parent_ = leaf_quality(real(total.g), real(total.h), params.lambda);
  }

  void consider(GradientSum left, const Candidate& candidate) {
    const GradientSum right = total_ - left;
    const double hl = real(left.h);
    const double hr = real(right.h);
    if (!eligible(hl, hr, params_)) return;
    const double score = split_score(real(left.g), hl, real(right.g), hr, parent_, params_);
    if (score > best_.score) best_ = {score, candidate};
  }

  const BestSplit& best() const { return best_; }

 private:
  double real(int64_t v) const { return static_cast<double>(v) * step_; }

  ScoreParams params_;
  double step_;
  GradientSum total_;
  double parent_ = 0;
  BestSplit best_;
};

}  // namespace

BestSplit best_in_histogram(const PartyData& data, std::span<const GradientSum> histogram,
                            const FixedPoint& grid, const ScoreParams& params) {
  GradientSum total;
  for (uint32_t b = 0; b < data.offsets[1]; ++b) total += histogram[b];
  Scorer scorer(total, grid, params);
  for (size_t f = 0; f < data.cuts.size(); ++f) {
    const FeatureCuts& cuts = data.cuts[f];
    const GradientSum* sums = histogram.data() + data.offsets[f];
    const int last = cuts.value_bins() - 1;
    GradientSum left;
    Candidate candidate{static_cast<uint16_t>(f), 0, false};
    for (int bin = 0; bin < last; ++bin) {
      left += sums[bin];
      candidate.bin = static_cast<uint8_t>(bin);
      candidate.missing_left = false;
      scorer.consider(left, candidate);
      if (!cuts.has_missing) continue;
      candidate.missing_left = true;
      scorer.consider(left + sums[cuts.missing_bin()], candidate);
    }
    if (cuts.has_missing) {
      scorer.consider(left + sums[last],
                      {static_cast<uint16_t>(f), static_cast<uint8_t>(last), false});
    }
  }
  return scorer.best();
}

SplitSearch::SplitSearch(const PartyData& data, const ScoreParams& params, ThreadPool& pool)
    : data_(data), params_(params), pool_(pool), histograms_(data, pool) {}

std::vector<BestSplit> SplitSearch::best_splits(const Level& level, const Gradients& gradients,
                                                bool fresh) {
  histograms_.update(level, gradients.rows, fresh);
  std::vector<BestSplit> best(level.nodes.size());
  pool_.run(best.size(), [&](size_t place, int) {
    best[place] = best_in_histogram(data_, histograms_[place], gradients.grid, params_);
  });
  return best;
}

}  // namespace maskbench
