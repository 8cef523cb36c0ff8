#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "kernels/bin_matrix.hpp"
#include "kernels/host_device.hpp"
#include "kernels/random/normal.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/random/streams.hpp"

namespace maskbench::kernels {

struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Standard deviations in steps of the noise grid. r and p of an active row come from one normal z,
// r = sigma2 z and p = beta z with beta (beta + sigma2) = sigma1^2: then p_t - p_{t-1} + r_t has
// the very covariance that it has with an independent p of deviation sigma1, as (sigma2 + beta)^2 +
// beta^2 = 2 sigma1^2 + sigma2^2 and -beta (sigma2 + beta) = -sigma1^2.
struct NoiseScale {
  float sigma2 = 0;    // of r
  float beta = 0;      // of p
  float inactive = 0;  // of q + r drawn as one normal: sqrt(2 sigma1^2 + sigma2^2)

  bool is_zero() const { return inactive == 0; }
};

// The grid must resolve r: sigma2 has at least this many steps (or none: no noise).
inline constexpr double kMinSteps = 1 << 12;
// |b| stays below 2^23, so that a float holds it exactly and 256 of them add in int32.
inline constexpr double kMaxCell = 1 << 23;

// Throws KernelError unless sigma2 >= 2^12 (or both are 0) and every |b| < 2^23.
NoiseScale noise_scale(double sigma1_steps, double sigma2_steps);

// Is the row with this bin active, m_j = 1?
struct RowTest {
  uint8_t bin = 0;
  int16_t missing_bin = -1;  // -1: the feature has no missing values
  bool missing_left = false;
  bool flip = false;  // orient = smaller: the right side is the active one
};

MB_HD inline bool is_active(const RowTest& test, uint8_t bin) {
  const bool left = bin == test.missing_bin ? test.missing_left : bin <= test.bin;
  return left != test.flip;
}

struct ActiveSet {
  uint32_t node = 0;  // index in the level
  uint32_t id = 0;    // names its noise; unique among the node's candidates
  uint16_t feature = 0;
  RowTest test;
};

// The nodes of one level: their row ids one node after another, ascending within a node.
struct LevelRows {
  uint32_t tree = 0;
  std::span<const uint32_t> rows;
  std::span<const uint32_t> begin;    // node v has rows[begin[v] .. begin[v + 1])
  std::span<const uint32_t> node_id;  // names the node's noise; unique within the tree

  size_t nodes() const { return node_id.size(); }
  size_t size(uint32_t node) const { return begin[node + 1] - begin[node]; }
};

// A value of the grid at one row, p - p' + r or q + r.
MB_HD inline int32_t to_grid(float normal, float sigma) {
  return nearest(normal * sigma);
}

}  // namespace maskbench::kernels
