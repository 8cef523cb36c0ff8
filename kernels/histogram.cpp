#include "kernels/histogram.hpp"

#include <algorithm>

namespace maskbench {

namespace {

int64_t pack(GradientPair p) {
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(p.g)) << 32) + p.h;
}

void flush(std::span<int64_t> packed, std::span<GradientSum> sums) {
  for (size_t b = 0; b < packed.size(); ++b) {
    const int32_t h = static_cast<int32_t>(packed[b]);
    sums[b].h += h;
    sums[b].g += (packed[b] - h) >> 32;
    packed[b] = 0;
  }
}

}  // namespace

void histogram_rows(const kernels::BinMatrix& bins, std::span<const uint32_t> offsets,
                    const GradientPair* gradients, std::span<const uint32_t> rows,
                    std::span<GradientSum> sums, std::span<int64_t> packed) {
  std::fill(packed.begin(), packed.end(), 0);
  const size_t features = offsets.size() - 1, stride = bins.stride;
  const uint8_t* const first = bins.bins.data();
  const size_t ahead = 16;  // rows of a node are scattered: fetch them before they are needed
  for (size_t begin = 0; begin < rows.size(); begin += kExactRows) {
    const size_t end = std::min<size_t>(begin + kExactRows, rows.size());
    for (size_t j = begin; j < end; ++j) {
      if (j + ahead < rows.size()) {
        __builtin_prefetch(first + rows[j + ahead] * stride);
        __builtin_prefetch(gradients + rows[j + ahead]);
      }
      const uint8_t* row = first + rows[j] * stride;
      const int64_t value = pack(gradients[rows[j]]);
#pragma GCC unroll 8
      for (size_t f = 0; f < features; ++f) packed[offsets[f] + row[f]] += value;
    }
    flush(packed, sums);
  }
}

}  // namespace maskbench
