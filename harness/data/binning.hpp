#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/data/dataset.hpp"

namespace maskbench {

inline constexpr int kMaxBins = 256;  // a bin's index is one byte

// How one feature is cut. A value x lies in bin k, the first with x <= cuts[k]; the last value bin
// is unbounded. A missing value has the bin after them, if the training rows had a missing value;
// else it lies in the last value bin, where `x <= cut` being false for NaN at every cut leads too.
struct FeatureCuts {
  std::vector<float> cuts;  // ascending
  bool has_missing = false;

  int value_bins() const { return static_cast<int>(cuts.size()) + 1; }
  int bins() const { return value_bins() + (has_missing ? 1 : 0); }
  int missing_bin() const { return has_missing ? value_bins() : -1; }
};

struct BinnedMatrix {
  size_t rows = 0;
  int features = 0;
  std::vector<uint8_t> bins;  // row-major: bins[row * features + f]

  uint8_t at(size_t row, int feature) const { return bins[row * features + feature]; }
};

// Columns of at most this many values are cut at exact quantiles, larger ones by a sketch whose
// ranks are wrong by at most ceil(log2(n / kSketchBuffer)) / (2 kSketchBuffer) of n: under 0.0001.
inline constexpr size_t kExactValues = size_t{1} << 18;
inline constexpr size_t kSketchBuffer = size_t{1} << 16;

// Cuts of equal mass, halfway between neighbouring values: at most max_bins value bins and 256 bins
// in all. Few distinct values get a bin each; a value heavier than a bin's share gets its own.
FeatureCuts find_cuts(std::span<const float> values, int max_bins);

// find_cuts of each listed feature over the listed rows.
std::vector<FeatureCuts> find_cuts(const Dataset& data, std::span<const int> features,
                                   std::span<const uint32_t> rows, int max_bins);

// Row i of the result is rows[i]; column j is features[j], cut by cuts[j].
BinnedMatrix bin_rows(const Dataset& data, std::span<const int> features,
                      const std::vector<FeatureCuts>& cuts, std::span<const uint32_t> rows);

}  // namespace maskbench
