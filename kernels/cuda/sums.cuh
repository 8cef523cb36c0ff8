#pragma once

#include "kernels/cuda/noise.cuh"

namespace maskbench::kernels::device {

__device__ inline bool row_bit(const uint32_t* bits, uint32_t tile, uint32_t j) {
  return bits[size_t{tile} * kTileWords + j / 32] >> (j % 32) & 1;
}

struct MaskParams {
  const int32_t* g;
  const int32_t* h;
  const int32_t* c;
  const int32_t* d;
  uint32_t columns;
  int shift;
};

// <g>, <h> of a tile.
__global__ void __launch_bounds__(kThreads)
    mask(Tiles tiles, MaskParams params, const int32_t* b, int64_t* masked_g, int64_t* masked_h) {
  const TileView view = tile_view(tiles, blockIdx.x);
  const size_t weight = size_t{view.index} * params.columns;
  for (uint32_t j = threadIdx.x; j < view.rows; j += kThreads) {
    const size_t row = size_t{view.job.row_begin} + view.first + j;
    const int64_t unit = int64_t{1} << params.shift;
    int64_t g = params.g[row] * unit;
    int64_t h = params.h[row] * unit;
    for (uint32_t k = 0; k < params.columns; ++k) {
      const int64_t cell =
          b[params.columns * view.job.first_cell + size_t{k} * view.job.rows + view.first + j];
      g += params.c[weight + k] * cell;
      h += params.d[weight + k] * cell;
    }
    masked_g[view.job.first_cell + view.first + j] = g;
    masked_h[view.job.first_cell + view.first + j] = h;
  }
}

// m'<g> and m'<h> of a tile: sums[tile], sums[tiles + tile].
__global__ void __launch_bounds__(kThreads)
    sum_masked(Tiles tiles, const uint32_t* bits, const int64_t* masked_g, const int64_t* masked_h,
               int64_t* sums) {
  const TileView view = tile_view(tiles, blockIdx.x);
  const size_t cell = view.job.first_cell + view.first;
  int64_t g = 0;
  int64_t h = 0;
  for (uint32_t j = threadIdx.x; j < view.rows; j += kThreads) {
    if (!row_bit(bits, view.tile, j)) continue;
    g += masked_g[cell + j];
    h += masked_h[cell + j];
  }
  g = block_sum(g);
  h = block_sum(h);
  if (threadIdx.x == 0) {
    sums[view.tile] = g;
    sums[size_t{gridDim.x} + view.tile] = h;
  }
}

// m'g and m'h of a tile, in the same places.
__global__ void __launch_bounds__(kThreads)
    sum_values(Tiles tiles, const uint32_t* bits, const int32_t* g_values, const int32_t* h_values,
               int64_t* sums) {
  const TileView view = tile_view(tiles, blockIdx.x);
  const size_t row = size_t{view.job.row_begin} + view.first;
  int64_t g = 0;
  int64_t h = 0;
  for (uint32_t j = threadIdx.x; j < view.rows; j += kThreads) {
    if (!row_bit(bits, view.tile, j)) continue;
    g += g_values[row + j];
    h += h_values[row + j];
  }
  g = block_sum(g);
  h = block_sum(h);
  if (threadIdx.x == 0) {
    sums[view.tile] = g;
    sums[size_t{gridDim.x} + view.tile] = h;
  }
}

struct CollapsedParams {
  NoiseParams noise;
  const uint32_t* active;
  const int64_t* exact_g;
  const int64_t* exact_h;
  const int32_t* c;
  const int32_t* d;
  int shift;
};

// One thread a candidate.
__global__ void __launch_bounds__(kThreads)
    collapsed(const Job* jobs, uint32_t count, CollapsedParams params, int64_t* sums_g,
              int64_t* sums_h) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int64_t g = params.exact_g[i] * (int64_t{1} << params.shift);
  int64_t h = params.exact_h[i] * (int64_t{1} << params.shift);
  for (uint32_t k = 0; k < params.noise.columns; ++k) {
    const StreamId id{params.noise.key, params.noise.tree, jobs[i].node_id, jobs[i].id, k};
    const int64_t r = collapsed_draw(id, params.noise.scale.sigma2, params.active[i]);
    g += params.c[size_t{i} * params.noise.columns + k] * r;
    h += params.d[size_t{i} * params.noise.columns + k] * r;
  }
  sums_g[i] = g;
  sums_h[i] = h;
}

}  // namespace maskbench::kernels::device
