#include "harness/data/party.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/split_scan.hpp"

namespace maskbench {

namespace {

std::vector<FeatureBins> layout_of(const std::vector<FeatureCuts>& cuts) {
  std::vector<FeatureBins> layout;
  FeatureBins next;
  for (const FeatureCuts& feature : cuts) {
    next.value_bins = static_cast<uint16_t>(feature.value_bins());
    next.has_missing = feature.has_missing;
    layout.push_back(next);
    next.offset += next.bins();
    next.first_candidate += next.candidates();
  }
  return layout;
}

}  // namespace

PartyData::PartyData(std::vector<std::string> names_in, std::vector<FeatureCuts> cuts_in,
                     BinnedMatrix bins_in)
    : names(std::move(names_in)), cuts(std::move(cuts_in)), bins(std::move(bins_in)) {
  offsets.push_back(0);
  for (const FeatureCuts& feature : cuts) {
    offsets.push_back(offsets.back() + static_cast<uint32_t>(feature.bins()));
  }
  layout = layout_of(cuts);
  candidates = candidates_of(cuts);
}

SplitRule PartyData::rule(const Candidate& candidate) const {
  const std::vector<float>& thresholds = cuts[candidate.feature].cuts;
  const float threshold = candidate.bin < thresholds.size()
                              ? thresholds[candidate.bin]
                              : std::numeric_limits<float>::infinity();
  return {names[candidate.feature], threshold, candidate.missing_left, candidate};
}

std::vector<Candidate> candidates_of(const std::vector<FeatureCuts>& cuts) {
  static constexpr std::array<GradientSum, kMaxBins> kEmpty{};
  std::vector<Candidate> all;
  const std::vector<FeatureBins> layout = layout_of(cuts);
  for (const FeatureBins& feature : layout) {
    const auto number = static_cast<uint16_t>(&feature - layout.data());
    visit_feature(feature, kEmpty.data(),
                  [&](uint32_t, uint32_t bin, bool missing_left, GradientSum) {
                    all.push_back({number, static_cast<uint8_t>(bin), missing_left});
                  });
  }
  return all;
}

void splitting_bits(const PartyData& data, const Candidate& candidate,
                    std::span<const uint32_t> rows, std::span<uint64_t> bits) {
  const size_t stride = static_cast<size_t>(data.bins.features);
  const uint8_t* column = data.bins.bins.data() + candidate.feature;
  // One look-up instead of two comparisons: which bins go left?
  uint8_t left[256];
  for (int bin = 0; bin < 256; ++bin) {
    left[bin] =
        goes_left(candidate, data.cuts[candidate.feature].missing_bin(), static_cast<uint8_t>(bin));
  }
  for (size_t base = 0; base < rows.size(); base += 64) {
    uint64_t word = 0;
    const size_t count = std::min<size_t>(64, rows.size() - base);
    for (size_t j = 0; j < count; ++j) {
      word |= uint64_t{left[column[rows[base + j] * stride]]} << j;
    }
    bits[base / 64] = word;
  }
}

RowBits route_rows(const PartyData& data, std::span<const Route> routes, ThreadPool& pool) {
  constexpr size_t kChunkRows = 1 << 13;  // a multiple of 64: chunks share no word
  struct Chunk {
    Route route;
    size_t word;
  };
  std::vector<Chunk> chunks;
  size_t words = 0;
  for (const Route& route : routes) {
    for (size_t begin = 0; begin < route.rows.size(); begin += kChunkRows) {
      const size_t count = std::min(kChunkRows, route.rows.size() - begin);
      chunks.push_back({{route.candidate, route.rows.subspan(begin, count)}, words + begin / 64});
    }
    words += bit_words(route.rows.size());
  }
  RowBits bits(words);
  pool.run(chunks.size(), [&](size_t task, int) {
    const Chunk& chunk = chunks[task];
    splitting_bits(data, chunk.route.candidate, chunk.route.rows,
                   std::span(bits).subspan(chunk.word));
  });
  return bits;
}

}  // namespace maskbench
