#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace maskbench::kernels {

// Row-major bins of one party's features: the bin of row r, feature f is bins[r * stride + f].
struct BinMatrix {
  std::span<const uint8_t> bins;
  size_t stride = 0;
};

}  // namespace maskbench::kernels
