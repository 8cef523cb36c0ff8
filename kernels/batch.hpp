#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/noise.hpp"

namespace maskbench::kernels {

// A block of candidates of one level; a candidate belongs to one node. Candidates of the same node
// and feature should stand together (it saves gathering the column again).
struct Batch {
  LevelRows level;
  std::span<const ActiveSet> candidates;
  // Rows of all candidates before i; one entry more than candidates. With W columns, candidate i
  // has b at [W first_cell[i] + k n + j] and <g>, <h> at [first_cell[i] + j], j its node's rows.
  std::span<const size_t> first_cell;

  size_t cells() const { return first_cell[candidates.size()]; }
};

// How PP draws b.
struct Draw {
  PhiloxKey key;
  NoiseScale scale;
  int columns = 1;  // W
};

// Fixed-point g and h in the order of level.rows, |g|, |h| < 2^23.
struct RowValues {
  std::span<const int32_t> g;
  std::span<const int32_t> h;
};

// c_ik and d_ik at [i W + k], on a grid of their own: <g> = g 2^shift + sum_k c_k b_k.
struct Weights {
  std::span<const int32_t> c;
  std::span<const int32_t> d;
  int shift = 0;
};

// m'<g> and m'<h> of each candidate.
struct MaskedSums {
  std::span<int64_t> g;
  std::span<int64_t> h;
};

// What the histogram knows of each candidate without noise: n_A, m'g, m'h.
struct ExactSums {
  std::span<const uint32_t> active;
  std::span<const int64_t> g;
  std::span<const int64_t> h;
};

// Fills first_cell (candidates + 1 entries).
void lay_out(const LevelRows& level, std::span<const ActiveSet> candidates,
             std::span<size_t> first_cell);

// How many candidates from `first` on fit: 4W + 16 bytes a cell, at most `limit` bytes, and no more
// than `preferred` bytes once there are `at_least` candidates (one for each thread). Throws
// KernelError if the limit is too small for one candidate.
struct BlockLimits {
  size_t limit = size_t{1} << 30;
  size_t preferred = size_t{1} << 21;
  size_t at_least = 1;
};
size_t plan_block(const LevelRows& level, std::span<const ActiveSet> candidates, size_t first,
                  int columns, const BlockLimits& limits);

// Throws KernelError unless every <g>, <h> and every sum of them fits 63 bits:
// n (2^(24 + shift) + sum_k |c_k| 2^23) < 2^63, and so for d.
void check_bounds(const Batch& batch, const Weights& weights, int columns);

}  // namespace maskbench::kernels
