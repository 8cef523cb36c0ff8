#pragma once

#include "kernels/cuda/noise.cuh"
#include "kernels/histogram.hpp"

namespace maskbench::kernels::device {

inline constexpr unsigned kSharedBins = 1024;  // of a block's histogram; a feature has at most 256

// Rows of one node, at most kExactRows: their sums fit 32 bits.
struct RowChunk {
  uint32_t begin;
  uint32_t rows;
  uint32_t node;
};

// Neighbouring features whose bins fit kSharedBins.
struct FeatureTile {
  uint32_t first;
  uint32_t features;
  uint32_t first_bin;
  uint32_t bins;
};

struct HistogramParams {
  const RowChunk* chunks;
  const FeatureTile* tiles;
  const uint32_t* offsets;
  const uint32_t* rows;
  const GradientPair* gradients;
  const uint8_t* bins;
  uint32_t stride;
  uint32_t total_bins;
};

// g at sums[2 (node total_bins + bin)] and h after it; grid: chunks x tiles. The block's rows are
// added in shared memory, with neighbouring threads at neighbouring features of a row.
__global__ void __launch_bounds__(kThreads)
    histogram(HistogramParams params, unsigned long long* sums) {
  __shared__ int32_t g[kSharedBins];
  __shared__ int32_t h[kSharedBins];
  const RowChunk chunk = params.chunks[blockIdx.x];
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
  unsigned long long* out = sums + 2 * (size_t{chunk.node} * params.total_bins + tile.first_bin);
  for (uint32_t bin = threadIdx.x; bin < tile.bins; bin += kThreads) {
    atomicAdd(&out[2 * bin], static_cast<unsigned long long>(int64_t{g[bin]}));
    atomicAdd(&out[2 * bin + 1], static_cast<unsigned long long>(int64_t{h[bin]}));
  }
}

}  // namespace maskbench::kernels::device
