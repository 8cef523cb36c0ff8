#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/bin_matrix.hpp"
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

// A node's rows and where its histogram goes.
struct NodeRows {
  std::span<const uint32_t> rows;
  std::span<GradientSum> sums;
};

// Adds the rows' gradients to `sums`. `offsets` has each feature's first bin in a histogram and, at
// its end, the number of all bins: the length of `sums` and of the workspace `packed`. There g and
// h travel in the two halves of one word, so that a cell costs one addition; before the halves
// could overflow they are added to the 64-bit sums. Exact for any order of rows.
void histogram_rows(const kernels::BinMatrix& bins, std::span<const uint32_t> offsets,
                    const GradientPair* gradients, std::span<const uint32_t> rows,
                    std::span<GradientSum> sums, std::span<int64_t> packed);

}  // namespace maskbench
