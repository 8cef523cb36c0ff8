#pragma once

#include "kernels/cuda/level.cuh"
#include "kernels/histogram.hpp"

namespace maskbench::kernels::device {

inline constexpr unsigned kSharedBins = 1024;  // of a block's histogram; a feature has at most 256

// Neighbouring features whose bins fit kSharedBins.
struct FeatureTile {
  uint32_t first;
  uint32_t features;
  uint32_t first_bin;
  uint32_t bins;
};

struct HistogramParams {
  const RowChunk* chunks;
  const NodeView* nodes;
  const FeatureTile* tiles;
  const uint32_t* offsets;
  const uint32_t* rows;
  const GradientPair* gradients;
  const uint8_t* bins;
  uint32_t stride;
  uint32_t total_bins;
  bool all;  // also of the nodes that subtraction would give
};

// Integers wrap: a negative value is added like any other.
__device__ inline void add_to(int64_t* sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

// Adds a chunk's rows to sums[node * total_bins + bin]; grid: chunks x tiles. The block's rows are
// added in shared memory, with neighbouring threads at neighbouring features of a row.
__global__ void __launch_bounds__(kThreads) histogram(HistogramParams params, GradientSum* sums) {
  __shared__ int32_t g[kSharedBins];
  __shared__ int32_t h[kSharedBins];
  const RowChunk chunk = params.chunks[blockIdx.x];
  if (!params.all && !params.nodes[chunk.node].is_built) return;
  const FeatureTile tile = params.tiles[blockIdx.y];
  for (uint32_t bin = threadIdx.x; bin < tile.bins; bin += kThreads) g[bin] = h[bin] = 0;
  __syncthreads();  // the sums are clear
  const uint32_t cells = chunk.rows * tile.features;
  for (uint32_t cell = threadIdx.x; cell < cells; cell += kThreads) {
    const size_t row = params.rows[chunk.begin + cell / tile.features];
    const uint32_t feature = tile.first + cell % tile.features;
    const uint32_t bin = params.bins[row * params.stride + feature];
    const GradientPair value = params.gradients[row];
    atomicAdd(&g[params.offsets[feature] - tile.first_bin + bin], value.g);
    atomicAdd(&h[params.offsets[feature] - tile.first_bin + bin], value.h);
  }
  __syncthreads();  // every row is in
  GradientSum* out = sums + size_t{chunk.node} * params.total_bins + tile.first_bin;
  for (uint32_t bin = threadIdx.x; bin < tile.bins; bin += kThreads) {
    add_to(&out[bin].g, g[bin]);
    add_to(&out[bin].h, h[bin]);
  }
}

}  // namespace maskbench::kernels::device
