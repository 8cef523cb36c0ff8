#pragma once

#include "kernels/cuda/histogram.cuh"
#include "kernels/random/normal.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench::kernels::device {

// The key of each of Philox's rounds, worked out once: a kernel's parameters are as good as
// constants.
struct PhiloxSchedule {
  PhiloxKey round[10];

  PhiloxSchedule() = default;
  explicit PhiloxSchedule(PhiloxKey key) {
    for (PhiloxKey& of_round : round) {
      of_round = key;
      key.k0 += 0x9E3779B9u;
      key.k1 += 0xBB67AE85u;
    }
  }
};

__device__ inline PhiloxBlock philox(PhiloxBlock counter, const PhiloxSchedule& key) {
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int round = 0; round < 10; ++round) counter = philox_round(counter, key.round[round]);
  return counter;
}

// Selects without indexing, which would put the four on a thread's stack.
__device__ inline float word_of_quad(const NormalQuad& quad, uint32_t word) {
  const float low = word == 0 ? quad.z[0] : quad.z[1];
  const float high = word == 2 ? quad.z[2] : quad.z[3];
  return word < 2 ? low : high;
}

// Which bins are active: an interval, or all but one. Two instructions a row.
struct BinRange {
  uint32_t first = 0;
  uint32_t last = 0;  // counted from the first
  uint32_t is_outside = 0;

  BinRange() = default;
  explicit BinRange(const RowTest& test) : last(test.bin), is_outside(test.flip) {
    if (!test.missing_left || test.missing_bin < 0) return;  // [0, bin]: missing is the last bin
    first = test.bin + 1u;                                   // all but (bin, missing)
    last = static_cast<uint32_t>(test.missing_bin) - 1 - first;
    is_outside = !test.flip;
  }
  __device__ bool has(uint32_t bin) const { return (bin - first <= last) != (is_outside != 0); }
};

// One candidate as the device sees it.
struct Job {
  uint32_t place;  // of its node
  uint32_t id;
  uint32_t active;      // n_A
  uint32_t first_tile;  // its tiles follow one another
  uint32_t feature;
  uint32_t flip;  // the right side is the active one
  BinRange range;
  NoiseScale scale;
  uint64_t first_cell;
};

struct NoiseParams {
  PhiloxSchedule key;
  uint32_t tree;
  uint32_t columns;
};

// The candidates of a level.
struct Jobs {
  const Job* jobs;
  uint32_t count;
  uint32_t tiles;  // of all of them
  const NodeView* nodes;
  const uint32_t* owner;  // of each tile: a job
  NoiseParams noise;
};

// A tile's candidate, its noise of one column, and where in its rows or ranks it begins.
struct TileView {
  uint32_t index;
  Job job;
  NodeView node;
  uint32_t first;
};

__device__ inline TileView tile_view(const Jobs& jobs, uint32_t tile) {
  const uint32_t index = jobs.owner[tile];
  const Job job = jobs.jobs[index];
  return {index, job, jobs.nodes[job.place], (tile - job.first_tile) * kTile};
}

__device__ inline uint32_t at_most_a_tile(uint32_t left) {
  return left < kTile ? left : kTile;
}

// Marks the tiles of every job as its own and clears its sums: a warp a job.
__global__ void __launch_bounds__(kThreads)
    own_tiles(Jobs jobs, uint32_t* owner, int64_t* sums_g, int64_t* sums_h) {
  const uint32_t index = task_id();
  if (index >= jobs.count) return;
  const uint32_t end = index + 1 < jobs.count ? jobs.jobs[index + 1].first_tile : jobs.tiles;
  for (uint32_t tile = jobs.jobs[index].first_tile + lane_id(); tile < end; tile += 32)
    owner[tile] = index;
  if (lane_id() == 0) sums_g[index] = sums_h[index] = 0;
}

// The level's bins feature after feature, in the order of its rows (gather_columns).
struct Columns {
  const uint8_t* bins;
  uint32_t stride;

  __device__ const uint8_t* of(const TileView& view) const {
    return bins + size_t{view.job.feature} * stride + view.node.begin + view.first;
  }
};

// counts[tile]: active rows of each tile of rows; a warp a tile.
__global__ void __launch_bounds__(kThreads)
    count_active(Jobs jobs, Columns columns, uint32_t* counts) {
  const uint32_t tile = task_id();
  if (tile >= jobs.tiles) return;
  const TileView view = tile_view(jobs, tile);
  const uint32_t rows = at_most_a_tile(view.node.rows - view.first);
  const uint8_t* bins = columns.of(view);
  uint32_t active = 0;
  for (uint32_t first = 0; first < rows; first += 32) {
    const uint32_t j = first + lane_id();
    const bool is_set = j < rows && view.job.range.has(bins[j]);
    active += static_cast<uint32_t>(__popc(__ballot_sync(kAllLanes, is_set)));
  }
  if (lane_id() == 0) counts[tile] = active;
}

// A stream's counter but for its block.
__device__ inline NormalQuad draw_quad(const NoiseParams& params, const TileView& view,
                                       uint32_t column, Stream stream, uint32_t block) {
  const StreamId id{{}, params.tree, view.node.node_id, view.job.id, column};
  return normal_quad(philox(stream_counter(id, stream, block), params.key));
}

// Rings of two groups of a warp's values by rank: of the active rows r + p and p, of the others
// q + r.
inline constexpr uint32_t kRing = 2 * kGroup;
inline constexpr uint32_t kOthers = kRing, kP = 2 * kRing, kRings = 3 * kRing;

// What one stream's ring holds: the ranks below `made`, as far back as it reaches.
template <Stream stream>
struct Ring {
  uint32_t made;

  __device__ explicit Ring(uint32_t rank) : made(rank / kGroup * kGroup) {}

  // Up to the rank `end`; all lanes of the warp.
  __device__ void draw_to(uint32_t end, const NoiseParams& params, const TileView& view,
                          uint32_t column, int32_t* rings) {
    while (made < end) {
      const NormalQuad quad =
          draw_quad(params, view, column, stream, made / kGroup * kGroupBlocks + lane_id());
      int32_t* at = rings + made % kRing + lane_id();
      __syncwarp();  // what the group takes the place of has been read
      for (unsigned w = 0; w < 4; ++w, at += kGroupBlocks) {
        if (stream == Stream::kActive) {
          const int32_t p = to_grid(quad.z[w], view.job.scale.beta);
          at[0] = to_grid(quad.z[w], view.job.scale.sigma2) + p;
          at[kP] = p;
        } else {
          at[kOthers] = to_grid(quad.z[w], view.job.scale.inactive);
        }
      }
      made += kGroup;
    }
  }
};

struct NoiseTask {
  Jobs jobs;
  Columns columns;
  const uint32_t* ranks;  // of each tile: active rows in all tiles before
  uint32_t first_tile;    // of the block
  uint32_t tiles;
  uint64_t first_cell;
};

// A warp's walk over the rows of a tile.
struct NoiseWalk {
  const NoiseParams& params;
  const TileView& view;
  uint32_t column;
  const uint8_t* bins;
  int32_t* out;
  int32_t* rings;
  uint32_t rank;  // of the next active row
  Ring<Stream::kActive> active;
  Ring<Stream::kRow> others;

  // The rows [first, first + count), at most a group; `whole`: all of it.
  template <bool whole>
  __device__ void group(uint32_t first, uint32_t count) {
    unsigned words[4];
    uint32_t end = rank;
    for (unsigned w = 0; w < 4; ++w) {
      const uint32_t j = w * 32 + lane_id();
      const bool is_row = whole || j < count;
      words[w] = __ballot_sync(kAllLanes, is_row && view.job.range.has(bins[first + j]));
      end += static_cast<uint32_t>(__popc(words[w]));
    }
    active.draw_to(end, params, view, column, rings);
    others.draw_to(view.first + first + count - end, params, view, column, rings);
    __syncwarp();  // both rings are filled
    for (unsigned w = 0; w < 4; ++w) {
      const uint32_t j = w * 32 + lane_id();
      const uint32_t mine = rank + static_cast<uint32_t>(__popc(words[w] & lanes_below()));
      rank += static_cast<uint32_t>(__popc(words[w]));
      if (!whole && j >= count) continue;
      const bool is_set = words[w] >> lane_id() & 1;
      const uint32_t other = view.first + first + j - mine;
      int32_t value = rings[is_set ? mine % kRing : kOthers + other % kRing];
      if (is_set) value -= rings[kP + (mine - 1) % kRing];  // r + p_t - p_{t-1}
      out[first + j] = value;
    }
  }
};

// A tile of rows of one column of b: a warp; grid: tiles / kWarps x columns.
__global__ void __launch_bounds__(kThreads) noise(NoiseTask task, int32_t* b) {
  __shared__ int32_t rings[kWarps][kRings];
  if (task_id() >= task.tiles) return;
  const uint32_t tile = task.first_tile + task_id();
  const TileView view = tile_view(task.jobs, tile);
  const NoiseParams& params = task.jobs.noise;
  const uint32_t rank = task.ranks[tile] - task.ranks[view.job.first_tile];
  int32_t* out = b + params.columns * (view.job.first_cell - task.first_cell) +
                 size_t{blockIdx.y} * view.node.rows + view.first;
  NoiseWalk walk{params,
                 view,
                 blockIdx.y,
                 task.columns.of(view),
                 out,
                 rings[warp_id()],
                 rank,
                 Ring<Stream::kActive>(rank),
                 Ring<Stream::kRow>(view.first - rank)};
  if (rank % kGroup == 0 && view.job.active > 0) {  // p_0 := p_{nA}
    const uint32_t last = rank > 0 ? rank - 1 : view.job.active - 1;
    const NormalQuad quad = draw_quad(params, view, blockIdx.y, Stream::kActive, block_of(last));
    const int32_t p = to_grid(word_of_quad(quad, word_of(last)), view.job.scale.beta);
    if (lane_id() == 0) walk.rings[kP + (rank - 1) % kRing] = p;
  }
  const uint32_t rows = at_most_a_tile(view.node.rows - view.first);
  uint32_t first = 0;
  for (; first + kGroup <= rows; first += kGroup) walk.group<true>(first, kGroup);
  if (first < rows) walk.group<false>(first, rows - first);
}

}  // namespace maskbench::kernels::device
