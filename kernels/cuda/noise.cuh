#pragma once

// CUDA kernels as plain source: nvcc compiles them for the device, and a test compiles them for the
// host with a shim that gives threads, barriers and warp operations their meaning.
#include <cstddef>
#include <cstdint>

#include "kernels/noise.hpp"
#include "kernels/random/normal.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench::kernels::device {

inline constexpr unsigned kTile = 1024;             // rows of a thread block
inline constexpr unsigned kTileWords = kTile / 32;  // words of mask bits
inline constexpr unsigned kThreads = 256;           // eight warps, a group of 128 rows each
inline constexpr unsigned kWarps = kThreads / 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

// One candidate as the device sees it.
struct Job {
  uint32_t row_begin;  // of its node in the level's rows
  uint32_t rows;
  uint32_t first_tile;  // its tiles follow one another
  uint32_t node_id;
  uint32_t id;
  uint16_t feature;
  RowTest test;
  NoiseScale scale;
  uint64_t first_cell;
};

struct Tiles {
  const Job* jobs;
  const uint32_t* owner;  // of each tile: a job
};

struct TileView {
  Job job;
  uint32_t index;  // the candidate
  uint32_t tile;
  uint32_t first;  // row of the node
  uint32_t rows;
};

__device__ inline TileView tile_view(const Tiles& tiles, uint32_t tile) {
  const uint32_t index = tiles.owner[tile];
  const Job job = tiles.jobs[index];
  const uint32_t first = (tile - job.first_tile) * kTile;
  const uint32_t left = job.rows - first;
  return {job, index, tile, first, left < kTile ? left : kTile};
}

__device__ inline unsigned lane_id() {
  return threadIdx.x % 32;
}
__device__ inline unsigned warp_id() {
  return threadIdx.x / 32;
}

// The sum over the block, valid in thread 0.
__device__ inline int64_t block_sum(int64_t value) {
  __shared__ int64_t of_warp[kWarps];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(kAllLanes, value, offset);
  }
  __syncthreads();  // an earlier sum has been read
  if (lane_id() == 0) of_warp[warp_id()] = value;
  __syncthreads();  // every warp's sum is there
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < kWarps; ++w) value += of_warp[w];
  }
  return value;
}

// bits[32 tile + w]: a bit for each row, by ballot; counts[tile]: active rows.
__global__ void __launch_bounds__(kThreads)
    active_bits(Tiles tiles, const uint32_t* rows, const uint8_t* bins, size_t stride,
                uint32_t* bits, uint32_t* counts) {
  const TileView view = tile_view(tiles, blockIdx.x);
  int64_t active = 0;
  for (unsigned word = warp_id(); word < kTileWords; word += kWarps) {
    const uint32_t j = word * 32 + lane_id();
    bool is_set = false;
    if (j < view.rows) {
      const size_t row = rows[view.job.row_begin + view.first + j];
      is_set = is_active(view.job.test, bins[row * stride + view.job.feature]);
    }
    const unsigned ballot = __ballot_sync(kAllLanes, is_set);
    if (lane_id() == 0) {
      bits[size_t{view.tile} * kTileWords + word] = ballot;
      active += __popc(ballot);
    }
  }
  active = block_sum(active);
  if (threadIdx.x == 0) counts[view.tile] = static_cast<uint32_t>(active);
}

// The normals at the ranks [first, first + count) of a stream, as seen from one warp of the block:
// emit(rank - first, z). Groups straddle the ends, so a lane may have nothing to emit.
struct RankRange {
  uint32_t first;
  uint32_t count;

  __device__ uint32_t first_group() const { return first / kGroup; }
  __device__ uint32_t groups() const {
    return count == 0 ? 0 : (first + count - 1) / kGroup - first_group() + 1;
  }
};

template <class Emit>
__device__ inline void emit_group(const StreamId& id, Stream stream, const RankRange& ranks,
                                  uint32_t group, Emit emit) {
  const uint32_t block = group * kGroupBlocks + lane_id();
  const NormalQuad z = normal_quad(philox(stream_counter(id, stream, block), id.key));
  for (unsigned w = 0; w < 4; ++w) {
    const uint32_t at = group * kGroup + w * kGroupBlocks + lane_id() - ranks.first;
    if (at < ranks.count) emit(at, z.z[w]);  // below the first it wraps to a large number
  }
}

struct NoiseParams {
  PhiloxKey key;
  uint32_t tree;
  uint32_t columns;
};

__device__ inline StreamId stream_of(const NoiseParams& params, const Job& job, uint32_t column) {
  return {params.key, params.tree, job.node_id, job.id, column};
}

// One tile of one column of b; grid: tiles x columns. ranks[tile]: active rows in all tiles before.
// Both streams of the tile are drawn without gaps into shared memory; then each row takes its own.
__global__ void __launch_bounds__(kThreads)
    noise(Tiles tiles, NoiseParams params, const uint32_t* bits, const uint32_t* ranks,
          int32_t* b) {
  __shared__ int32_t p[1 + kTile];  // of the active rows, after their predecessor
  __shared__ int32_t value[kTile];  // r of the active rows, then q + r of the others
  const TileView view = tile_view(tiles, blockIdx.x);
  const uint32_t column = blockIdx.y;
  const StreamId id = stream_of(params, view.job, column);
  const NoiseScale scale = view.job.scale;
  const uint32_t job_tiles = (view.job.rows + kTile - 1) / kTile;
  const uint32_t before = ranks[view.job.first_tile];
  const RankRange active{ranks[view.tile] - before, ranks[view.tile + 1] - ranks[view.tile]};
  const RankRange others{view.first - active.first, view.rows - active.count};
  const uint32_t groups = active.groups();
  for (uint32_t g = warp_id(); g < groups + others.groups(); g += kWarps) {
    if (g < groups) {
      emit_group(id, Stream::kActive, active, active.first_group() + g, [&](uint32_t at, float z) {
        p[1 + at] = to_grid(z, scale.beta);
        value[at] = to_grid(z, scale.sigma2);
      });
    } else {
      emit_group(
          id, Stream::kRow, others, others.first_group() + g - groups,
          [&](uint32_t at, float z) { value[active.count + at] = to_grid(z, scale.inactive); });
    }
  }
  if (threadIdx.x == 0 && active.count > 0) {  // p_0 := p_{nA}
    const uint32_t all = ranks[view.job.first_tile + job_tiles] - before;
    const uint32_t last = active.first > 0 ? active.first - 1 : all - 1;
    p[0] = to_grid(normal_at(id, Stream::kActive, last), scale.beta);
  }

  // Active rows before each word of the tile: a scan over the warp, one word a lane.
  const unsigned my_word = bits[size_t{view.tile} * kTileWords + lane_id()];
  unsigned through = static_cast<unsigned>(__popc(my_word));
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const unsigned below = __shfl_up_sync(kAllLanes, through, offset);
    if (lane_id() >= offset) through += below;
  }
  const unsigned before_word = through - static_cast<unsigned>(__popc(my_word));

  int32_t* out =
      b + params.columns * view.job.first_cell + size_t{column} * view.job.rows + view.first;
  __syncthreads();  // both streams are complete
  for (unsigned w = 0; w < 4; ++w) {
    const auto source = static_cast<int>(warp_id() * 4 + w);
    const unsigned word = __shfl_sync(kAllLanes, my_word, source);
    const uint32_t j = warp_id() * kGroup + w * 32 + lane_id();
    const unsigned rank = __shfl_sync(kAllLanes, before_word, source) +
                          static_cast<unsigned>(__popc(word & ((1u << lane_id()) - 1)));
    if (j >= view.rows) continue;
    const bool is_set = word >> lane_id() & 1;
    out[j] = is_set ? value[rank] + p[1 + rank] - p[rank]  // r + p_t - p_{t-1}
                    : value[active.count + j - rank];
  }
}

}  // namespace maskbench::kernels::device
