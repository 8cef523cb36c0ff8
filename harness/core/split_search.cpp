#include "harness/core/split_search.hpp"

#include <algorithm>
#include <utility>

namespace maskbench {

namespace {

constexpr size_t kChunkRows = 1 << 13;

struct Chunk {
  size_t place;
  std::span<const uint32_t> rows;
};

// Is this node summed from its rows, or got by subtraction? Of two siblings the smaller is summed.
bool is_built(const Level& level, size_t place) {
  if (level.depth == 0) return true;
  const size_t own = level.nodes[place].rows.size();
  const size_t sibling = level.nodes[place ^ 1].rows.size();
  return own < sibling || (own == sibling && place % 2 == 0);
}

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
    : data_(data), params_(params), pool_(pool), bins_(data.offsets.back()) {
  const size_t workers = static_cast<size_t>(pool.threads());
  packed_.assign(workers, std::vector<int64_t>(bins_));
  partial_.resize(workers);
  touched_.resize(workers);
}

std::span<GradientSum> SplitSearch::current(size_t place) {
  return std::span(histograms_).subspan(place * bins_, bins_);
}

std::span<const GradientSum> SplitSearch::histogram(size_t place) const {
  return std::span(histograms_).subspan(place * bins_, bins_);
}

void SplitSearch::build(const Level& level, const std::vector<size_t>& places,
                        const Gradients& gradients) {
  std::vector<Chunk> chunks;
  for (size_t place : places) {
    const std::span<const uint32_t> rows = level.nodes[place].rows;
    for (size_t begin = 0; begin < rows.size(); begin += kChunkRows) {
      chunks.push_back({place, rows.subspan(begin, std::min(kChunkRows, rows.size() - begin))});
    }
  }
  for (size_t worker = 1; worker < partial_.size(); ++worker) {
    partial_[worker].resize(histograms_.size());
    touched_[worker].assign(level.nodes.size(), 0);
  }
  pool_.run(chunks.size(), [&](size_t task, int worker) {
    const Chunk& chunk = chunks[task];
    const size_t w = static_cast<size_t>(worker);
    std::span<GradientSum> sums = current(chunk.place);
    if (w > 0) {  // worker 0 adds to the histogram itself, the others to their own
      sums = std::span(partial_[w]).subspan(chunk.place * bins_, bins_);
      if (!std::exchange(touched_[w][chunk.place], 1))
        std::fill(sums.begin(), sums.end(), GradientSum{});
    }
    histogram_rows(data_.view(), gradients.rows.data(), chunk.rows, sums, packed_[w]);
  });
}

// Gathers the workers' shares; then the sibling by subtraction.
void SplitSearch::finish_node(const Level& level, size_t place) {
  std::span<GradientSum> sums = current(place);
  for (size_t worker = 1; worker < partial_.size(); ++worker) {
    if (!touched_[worker][place]) continue;
    const GradientSum* share = partial_[worker].data() + place * bins_;
    for (size_t b = 0; b < bins_; ++b) sums[b] += share[b];
  }
  if (level.depth == 0) return;
  const GradientSum* parent =
      previous_.data() + static_cast<size_t>(level.nodes[place].parent) * bins_;
  std::span<GradientSum> sibling = current(place ^ 1);
  for (size_t b = 0; b < bins_; ++b) sibling[b] = parent[b] - sums[b];
}

std::vector<BestSplit> SplitSearch::best_splits(const Level& level, const Gradients& gradients) {
  std::swap(histograms_, previous_);
  histograms_.assign(level.nodes.size() * bins_, GradientSum{});
  std::vector<size_t> built;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    if (is_built(level, place)) built.push_back(place);
  }
  build(level, built, gradients);
  std::vector<BestSplit> best(level.nodes.size());
  const auto score = [&](size_t place) {
    best[place] = best_in_histogram(data_, current(place), gradients.grid, params_);
  };
  pool_.run(built.size(), [&](size_t task, int) {
    finish_node(level, built[task]);
    score(built[task]);
    if (level.depth > 0) score(built[task] ^ 1);
  });
  return best;
}

}  // namespace maskbench
