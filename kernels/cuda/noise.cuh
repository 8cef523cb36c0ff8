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

// p of the ranks [first_rank, first_rank + count) into p[1 ..], and the predecessor of the first
// into p[0]; p_0 := p_{nA}.
__device__ inline void cyclic_tile(const StreamId& id, float sigma1, uint32_t first_rank,
                                   uint32_t count, uint32_t active, int32_t* p) {
  if (count == 0) return;
  const uint32_t end = first_rank + count;
  for (uint32_t group = first_rank / kGroup + warp_id(); group * kGroup < end; group += kWarps) {
    const uint32_t block = group * kGroupBlocks + lane_id();
    const NormalQuad z = normal_quad(philox(stream_counter(id, Stream::kCyclic, block), id.key));
    for (unsigned w = 0; w < 4; ++w) {
      const uint32_t rank = group * kGroup + w * kGroupBlocks + lane_id();
      if (rank >= first_rank && rank < end) p[1 + rank - first_rank] = to_grid(z.z[w], sigma1);
    }
  }
  if (threadIdx.x == 0) {
    const uint32_t before = first_rank > 0 ? first_rank - 1 : active - 1;
    p[0] = to_grid(normal_at(id, Stream::kCyclic, before), sigma1);
  }
}

struct NoiseParams {
  PhiloxKey key;
  NoiseScale scale;
  uint32_t tree;
  uint32_t columns;
};

// One tile of one column of b. With b given it is stored, with sums given m'b of the tile is; grid:
// tiles x columns. ranks[tile]: active rows in all tiles before.
__global__ void __launch_bounds__(kThreads)
    noise(Tiles tiles, NoiseParams params, const uint32_t* bits, const uint32_t* ranks, int32_t* b,
          int64_t* sums) {
  __shared__ int32_t p[1 + kTile];
  const TileView view = tile_view(tiles, blockIdx.x);
  const uint32_t column = blockIdx.y;
  const StreamId id{params.key, params.tree, view.job.node_id, view.job.id, column};
  const uint32_t job_tiles = (view.job.rows + kTile - 1) / kTile;
  const uint32_t first_rank = ranks[view.tile] - ranks[view.job.first_tile];
  const uint32_t count = ranks[view.tile + 1] - ranks[view.tile];
  const uint32_t active = ranks[view.job.first_tile + job_tiles] - ranks[view.job.first_tile];
  cyclic_tile(id, params.scale.sigma1, first_rank, count, active, p);

  // Active rows before each word of the tile: a scan over the warp, one word a lane.
  const unsigned my_word = bits[size_t{view.tile} * kTileWords + lane_id()];
  unsigned through = static_cast<unsigned>(__popc(my_word));
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const unsigned below = __shfl_up_sync(kAllLanes, through, offset);
    if (lane_id() >= offset) through += below;
  }
  const unsigned before_word = through - static_cast<unsigned>(__popc(my_word));

  const uint32_t block = (view.first / kGroup + warp_id()) * kGroupBlocks + lane_id();
  const NormalQuad z = normal_quad(philox(stream_counter(id, Stream::kRow, block), id.key));
  int32_t* out = b == nullptr ? nullptr
                              : b + params.columns * view.job.first_cell +
                                    size_t{column} * view.job.rows + view.first;
  int64_t sum = 0;
  __syncthreads();  // p is complete
  for (unsigned w = 0; w < 4; ++w) {
    const unsigned word = __shfl_sync(kAllLanes, my_word, static_cast<int>(warp_id() * 4 + w));
    const unsigned before =
        __shfl_sync(kAllLanes, before_word, static_cast<int>(warp_id() * 4 + w));
    const uint32_t j = warp_id() * kGroup + w * 32 + lane_id();
    const bool is_set = word >> lane_id() & 1;
    int32_t value = to_grid(z.z[w], is_set ? params.scale.sigma2 : params.scale.inactive);
    if (is_set) {
      const unsigned rank = before + static_cast<unsigned>(__popc(word & ((1u << lane_id()) - 1)));
      value += p[1 + rank] - p[rank];  // p_t - p_{t-1}
      sum += value;
    }
    if (out != nullptr && j < view.rows) out[j] = value;
  }
  if (sums == nullptr) return;
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[size_t{column} * gridDim.x + view.tile] = sum;
}

}  // namespace maskbench::kernels::device
