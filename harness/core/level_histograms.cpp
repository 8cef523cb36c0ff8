#include "harness/core/level_histograms.hpp"

#include <algorithm>
#include <utility>

namespace maskbench {

namespace {

constexpr size_t kChunkRows = 1 << 13;

struct Chunk {
  size_t place;
  std::span<const uint32_t> rows;
};

}  // namespace

bool is_built(const Level& level, size_t place) {
  if (level.depth == 0) return true;
  const size_t own = level.nodes[place].rows.size();
  const size_t sibling = level.nodes[place ^ 1].rows.size();
  return own < sibling || (own == sibling && place % 2 == 0);
}

LevelHistograms::LevelHistograms(const PartyData& data, ThreadPool& pool)
    : data_(data), pool_(pool), bins_(data.offsets.back()) {
  const size_t workers = static_cast<size_t>(pool.threads());
  packed_.assign(workers, std::vector<int64_t>(bins_));
  partial_.resize(workers);
  touched_.resize(workers);
}

void LevelHistograms::build(const Level& level, std::span<const size_t> places,
                            std::span<const GradientPair> gradients) {
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
    histogram_rows(data_.view(), gradients.data(), chunk.rows, sums, packed_[w]);
  });
}

// Gathers the workers' shares; then the sibling by subtraction.
void LevelHistograms::finish(const Level& level, size_t place, bool fresh) {
  std::span<GradientSum> sums = current(place);
  for (size_t worker = 1; worker < partial_.size(); ++worker) {
    if (!touched_[worker][place]) continue;
    const GradientSum* share = partial_[worker].data() + place * bins_;
    for (size_t b = 0; b < bins_; ++b) sums[b] += share[b];
  }
  if (fresh || level.depth == 0) return;
  const GradientSum* parent =
      previous_.data() + static_cast<size_t>(level.nodes[place].parent) * bins_;
  std::span<GradientSum> sibling = current(place ^ 1);
  for (size_t b = 0; b < bins_; ++b) sibling[b] = parent[b] - sums[b];
}

void LevelHistograms::update(const Level& level, std::span<const GradientPair> gradients,
                             bool fresh) {
  std::swap(histograms_, previous_);
  histograms_.assign(level.nodes.size() * bins_, GradientSum{});
  std::vector<size_t> built;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    if (fresh || is_built(level, place)) built.push_back(place);
  }
  build(level, built, gradients);
  pool_.run(built.size(), [&](size_t task, int) { finish(level, built[task], fresh); });
}

}  // namespace maskbench
