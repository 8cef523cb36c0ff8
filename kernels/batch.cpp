#include "kernels/batch.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace maskbench::kernels {

void lay_out(const LevelRows& level, std::span<const ActiveSet> candidates,
             std::span<size_t> first_cell) {
  size_t cell = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    first_cell[i] = cell;
    cell += level.size(candidates[i].node);
  }
  first_cell[candidates.size()] = cell;
}

size_t plan_block(const LevelRows& level, std::span<const ActiveSet> candidates, size_t first,
                  int columns, const BlockLimits& limits) {
  const size_t cell_bytes = 4 * static_cast<size_t>(columns) + 16;
  size_t bytes = 0;
  size_t end = first;
  for (; end < candidates.size(); ++end) {
    const size_t more = level.size(candidates[end].node) * cell_bytes;
    const size_t preferred = end - first < limits.at_least ? limits.limit : limits.preferred;
    if (bytes + more > std::min(limits.limit, std::max(preferred, more))) break;
    bytes += more;
  }
  if (end == first && first < candidates.size()) {
    const size_t rows = level.size(candidates[first].node);
    throw KernelError("memory_limit of " + std::to_string(limits.limit) +
                      " bytes is too small for one candidate of " + std::to_string(rows) +
                      " rows: it takes " + std::to_string(rows * cell_bytes) + " bytes");
  }
  return end - first;
}

void check_bounds(const Batch& batch, const Weights& weights, int columns) {
  const auto width = static_cast<size_t>(columns);
  for (size_t i = 0; i < batch.candidates.size(); ++i) {
    double c = std::ldexp(1.0, weights.shift);
    double d = c;
    for (size_t k = 0; k < width; ++k) {
      c += std::abs(static_cast<double>(weights.c[i * width + k]));
      d += std::abs(static_cast<double>(weights.d[i * width + k]));
    }
    const auto rows = static_cast<double>(batch.level.size(batch.candidates[i].node));
    if (rows * kMaxCell * std::max(c, d) >= 0x1p63) {
      throw KernelError("masked sums may overflow 63 bits; use a smaller shift or coarser c, d");
    }
  }
}

}  // namespace maskbench::kernels
