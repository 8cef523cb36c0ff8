#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/score.hpp"

namespace maskbench {

// A row's fixed-point gradient and hessian. |g|, |h| <= 2^kGradientBits, see histogram_rows.
struct GradientPair {
  int32_t g = 0;
  int32_t h = 0;
  bool operator==(const GradientPair&) const = default;
};

inline constexpr int kGradientBits = 20;
// 32-bit sums hold so many values of at most 2^kGradientBits.
inline constexpr uint32_t kExactRows = 2047;

// Row-major bins of one party's features: bin of row r, feature f is bins[r * features + f].
struct BinsView {
  const uint8_t* bins = nullptr;
  int features = 0;
  const uint32_t* offsets =
      nullptr;  // of each feature's first bin in a histogram; features + 1 long
  uint32_t total_bins() const { return offsets[features]; }
};

// A node's rows and where its histogram goes (total_bins long).
struct NodeRows {
  std::span<const uint32_t> rows;
  std::span<GradientSum> sums;
};

// Adds the rows' gradients to `sums` (total_bins long). `packed` is workspace of total_bins words:
// g and h travel in the two halves of one word, so that a cell costs one addition; before the
// halves could overflow they are added to the 64-bit sums. Exact for any order of rows.
void histogram_rows(const BinsView& view, const GradientPair* gradients,
                    std::span<const uint32_t> rows, std::span<GradientSum> sums,
                    std::span<int64_t> packed);

}  // namespace maskbench
