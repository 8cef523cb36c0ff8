#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/level.hpp"
#include "kernels/noise.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench::kernels {

// The CPU's loops: the best that the processor has, or plain ones.
enum class Simd { kBest, kScalar };

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
  RandomKey key;
  int columns = 1;                    // W
  std::span<const NoiseScale> scale;  // of each candidate
};

// g and h on the grid of the noise, in the order of level.rows.
struct RowValues {
  std::span<const int32_t> g;
  std::span<const int32_t> h;
};

// c_ik and d_ik at [i W + k]: <g> = g + sum_k c_k b_k, all of them integers of one grid.
struct Weights {
  std::span<const int32_t> c;
  std::span<const int32_t> d;
};

// <g> and <h> of a block. Their entries have 32 bits unless W or R is large.
template <class Cell>
struct MaskedCells {
  std::span<Cell> g;
  std::span<Cell> h;
};

// m'<g> and m'<h> of each candidate.
struct MaskedSums {
  std::span<int64_t> g;
  std::span<int64_t> h;
};

// What a histogram knows of each candidate without noise: n_A, m'g, m'h.
struct ExactSums {
  std::span<const uint32_t> active;
  std::span<const int64_t> g;
  std::span<const int64_t> h;
};

// Fills first_cell (candidates + 1 entries). Nodes: a LevelRows or a Level.
template <class Nodes>
void lay_out(const Nodes& level, std::span<const ActiveSet> candidates,
             std::span<size_t> first_cell) {
  size_t cell = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    first_cell[i] = cell;
    cell += level.size(candidates[i].node);
  }
  first_cell[candidates.size()] = cell;
}

// How many candidates from `first` on fit: `cell_bytes` a row, at most `limit` bytes, and no more
// than `preferred` bytes once there are `at_least` candidates (one for each thread). Throws
// KernelError if the limit is too small for one candidate.
struct BlockLimits {
  size_t limit = size_t{1} << 30;
  size_t preferred = size_t{1} << 21;
  size_t at_least = 1;
};
template <class Nodes>
size_t plan_block(const Nodes& level, std::span<const ActiveSet> candidates, size_t first,
                  size_t cell_bytes, const BlockLimits& limits);

}  // namespace maskbench::kernels
