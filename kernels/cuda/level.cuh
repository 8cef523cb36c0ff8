#pragma once

// CUDA kernels as plain source: nvcc compiles them for the device, and a test compiles them for the
// host with a shim that gives threads, barriers and warp operations their meaning.
#include <cstddef>
#include <cstdint>

#include "kernels/noise.hpp"

namespace maskbench::kernels::device {

inline constexpr unsigned kTile = 1024;    // rows or ranks of a warp
inline constexpr unsigned kThreads = 256;  // eight warps
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline unsigned lane_id() {
  return threadIdx.x % 32;
}
__device__ inline unsigned warp_id() {
  return threadIdx.x / 32;
}
// The warp's number in a grid of warps.
__device__ inline uint32_t task_id() {
  return blockIdx.x * kWarps + warp_id();
}
__device__ inline unsigned lanes_below() {
  return (1u << lane_id()) - 1;
}

// A node of the level under way.
struct NodeView {
  uint32_t begin;  // of its rows
  uint32_t rows;
  uint32_t parent;    // its place in the level above
  uint32_t is_built;  // from its rows, not by subtraction
  uint32_t node_id;
};

// At most kTile rows of a node that splits.
struct PartitionTask {
  uint32_t from;
  uint32_t rows;
  uint32_t word;   // of its first bit
  uint32_t left;   // where its first row that goes left goes ...
  uint32_t right;  // ... and its first that does not
};

// Rows whose bit is set to the left child, the others to the right one, in order: a warp a task.
__global__ void __launch_bounds__(kThreads)
    partition_rows(const PartitionTask* tasks, uint32_t count, const uint32_t* bits,
                   const uint32_t* from, uint32_t* to) {
  if (task_id() >= count) return;
  const PartitionTask task = tasks[task_id()];
  uint32_t left = task.left;
  uint32_t right = task.right;
  for (uint32_t first = 0; first < task.rows; first += 32) {
    const unsigned word = bits[task.word + first / 32];
    const auto lefts = static_cast<unsigned>(__popc(word & lanes_below()));
    if (first + lane_id() < task.rows) {
      const bool goes_left = word >> lane_id() & 1;
      to[goes_left ? left + lefts : right + lane_id() - lefts] =
          from[task.from + first + lane_id()];
    }
    left += static_cast<unsigned>(__popc(word));
    right += 32 - static_cast<unsigned>(__popc(word));
  }
}

// The rows 0, 1, 2 ... of the root.
__global__ void __launch_bounds__(kThreads) number_rows(uint32_t* rows, uint32_t count) {
  const uint32_t row = blockIdx.x * kThreads + threadIdx.x;
  if (row < count) rows[row] = row;
}

// Rows of one node, at most kExactRows: their sums fit 32 bits.
struct RowChunk {
  uint32_t begin;
  uint32_t rows;
  uint32_t node;
};

// columns[feature * stride + place of the row]: the level's bins, feature after feature, in the
// order of its rows; grid: chunks x features.
__global__ void __launch_bounds__(kThreads)
    gather_columns(const RowChunk* chunks, const uint32_t* rows, const uint8_t* bins,
                   uint32_t features, uint32_t stride, uint8_t* columns) {
  const RowChunk chunk = chunks[blockIdx.x];
  for (uint32_t j = threadIdx.x; j < chunk.rows; j += kThreads) {
    const size_t row = rows[chunk.begin + j];
    columns[size_t{blockIdx.y} * stride + chunk.begin + j] = bins[row * features + blockIdx.y];
  }
}

}  // namespace maskbench::kernels::device
