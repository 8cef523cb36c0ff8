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
};

// <g>, <h> of a tile.
template <class Cell>
__global__ void __launch_bounds__(kThreads)
    mask(Tiles tiles, MaskParams params, const int32_t* b, Cell* masked_g, Cell* masked_h) {
  const TileView view = tile_view(tiles, blockIdx.x);
  const size_t weight = size_t{view.index} * params.columns;
  for (uint32_t j = threadIdx.x; j < view.rows; j += kThreads) {
    const size_t row = size_t{view.job.row_begin} + view.first + j;
    Cell g = params.g[row];
    Cell h = params.h[row];
    for (uint32_t k = 0; k < params.columns; ++k) {
      const Cell cell =
          b[params.columns * view.job.first_cell + size_t{k} * view.job.rows + view.first + j];
      g += params.c[weight + k] * cell;
      h += params.d[weight + k] * cell;
    }
    masked_g[view.job.first_cell + view.first + j] = g;
    masked_h[view.job.first_cell + view.first + j] = h;
  }
}

// Integers wrap: a negative value is added like any other.
__device__ inline void add_to(int64_t* sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

// Adds m'<g> and m'<h> of a tile to its candidate's sums.
template <class Cell>
__global__ void __launch_bounds__(kThreads)
    sum_masked(Tiles tiles, const uint32_t* bits, const Cell* masked_g, const Cell* masked_h,
               int64_t* sums_g, int64_t* sums_h) {
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
    add_to(&sums_g[view.index], g);
    add_to(&sums_h[view.index], h);
  }
}

// The scalars that m'b leaves of a candidate's noise.
struct SumParams {
  NoiseParams noise;
  const uint32_t* active;
  const int32_t* c;
  const int32_t* d;
  int64_t* sums_g;  // m'g, m'h; the noise is added to them
  int64_t* sums_h;

  // Adds m'b of a column.
  __device__ void add(uint32_t candidate, uint32_t column, int64_t noise_sum) const {
    const size_t weight = size_t{candidate} * noise.columns + column;
    add_to(&sums_g[candidate], c[weight] * noise_sum);
    add_to(&sums_h[candidate], d[weight] * noise_sum);
  }
};

// fused: a warp for up to kTile ranks of a candidate's r; grid: warps / kWarps x columns. Tiles are
// those of the ranks.
__global__ void __launch_bounds__(kThreads)
    rank_sums(Tiles tiles, uint32_t tile_count, SumParams params) {
  const uint32_t tile = blockIdx.x * kWarps + warp_id();
  if (tile >= tile_count) return;
  const uint32_t index = tiles.owner[tile];
  const Job job = tiles.jobs[index];
  const StreamId id = stream_of(params.noise, job, blockIdx.y);
  const uint32_t first = (tile - job.first_tile) * kTile;
  const uint32_t left = params.active[index] - first;
  const RankRange ranks{first, left < kTile ? left : kTile};
  int64_t sum = 0;
  for (uint32_t g = 0; g < ranks.groups(); ++g) {
    int32_t four = 0;
    emit_group(id, Stream::kActive, ranks, ranks.first_group() + g,
               [&](uint32_t, float z) { four += to_grid(z, job.scale.sigma2); });
    sum += four;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(kAllLanes, sum, offset);
  if (lane_id() == 0) params.add(index, blockIdx.y, sum);
}

// collapsed: one thread a candidate and column.
__global__ void __launch_bounds__(kThreads)
    collapsed(const Job* jobs, uint32_t count, SumParams params) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const StreamId id = stream_of(params.noise, jobs[i], blockIdx.y);
  params.add(i, blockIdx.y, collapsed_draw(id, jobs[i].scale.sigma2, params.active[i]));
}

}  // namespace maskbench::kernels::device
