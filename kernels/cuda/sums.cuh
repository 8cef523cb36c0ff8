#pragma once

#include "kernels/cuda/noise.cuh"
#include "kernels/cuda/score.cuh"
#include "kernels/noisy_sums.hpp"

namespace maskbench::kernels::device {

// A candidate of a block as AP knows it.
struct MaskJob {
  uint32_t place;
  uint32_t first_tile;
  uint64_t first_cell;
};

struct MaskParams {
  const MaskJob* jobs;
  uint32_t count;
  uint32_t tiles;
  const NodeView* nodes;
  const uint32_t* rows;
  const GradientPair* gradients;
  const int32_t* lift;  // of each node
  const int32_t* c;
  const int32_t* d;
  uint32_t columns;
};

__device__ inline uint32_t owner_of(const MaskParams& params, uint32_t tile) {
  uint32_t low = 0;
  for (uint32_t high = params.count; high - low > 1;) {
    const uint32_t middle = (low + high) / 2;
    (params.jobs[middle].first_tile <= tile ? low : high) = middle;
  }
  return low;
}

// <g>, <h> of a tile of rows: a warp. masked_h may be null.
template <class Cell>
__global__ void __launch_bounds__(kThreads)
    mask(MaskParams params, const int32_t* b, Cell* masked_g, Cell* masked_h) {
  const uint32_t tile = task_id();
  if (tile >= params.tiles) return;
  const uint32_t index = owner_of(params, tile);
  const MaskJob job = params.jobs[index];
  const NodeView node = params.nodes[job.place];
  const uint32_t first = (tile - job.first_tile) * kTile;
  const uint32_t rows = at_most_a_tile(node.rows - first);
  const Cell unit = Cell{1} << params.lift[job.place];
  for (uint32_t j = lane_id(); j < rows; j += 32) {
    const GradientPair value = params.gradients[params.rows[node.begin + first + j]];
    Cell g = value.g * unit;
    Cell h = value.h * unit;
    for (uint32_t k = 0; k < params.columns; ++k) {
      const size_t weight = size_t{index} * params.columns + k;
      const Cell cell = b[params.columns * job.first_cell + size_t{k} * node.rows + first + j];
      g += params.c[weight] * cell;
      h += params.d[weight] * cell;
    }
    masked_g[job.first_cell + first + j] = g;
    if (masked_h != nullptr) masked_h[job.first_cell + first + j] = h;
  }
}

__device__ inline int64_t warp_sum(int64_t value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(kAllLanes, value, offset);
  return value;
}

// Adds m'<g> and m'<h> of a tile of rows to its candidate's sums: a warp. masked_h may be null.
template <class Cell>
__global__ void __launch_bounds__(kThreads)
    sum_masked(NoiseTask task, const Cell* masked_g, const Cell* masked_h, int64_t* sums_g,
               int64_t* sums_h) {
  if (task_id() >= task.tiles) return;
  const TileView view = tile_view(task.jobs, task.first_tile + task_id());
  const uint32_t rows = at_most_a_tile(view.node.rows - view.first);
  const uint8_t* bins = task.columns.of(view);
  const size_t cell = view.job.first_cell - task.first_cell + view.first;
  int64_t g = 0;
  int64_t h = 0;
  for (uint32_t j = lane_id(); j < rows; j += 32) {
    if (!view.job.range.has(bins[j])) continue;
    g += masked_g[cell + j];
    if (masked_h != nullptr) h += masked_h[cell + j];
  }
  g = warp_sum(g);
  h = warp_sum(h);
  if (lane_id() != 0) return;
  add_to(&sums_g[view.index], g);
  add_to(&sums_h[view.index], h);
}

// What AP's weights make of m'b.
struct SumParams {
  const int32_t* c;
  const int32_t* d;
  int64_t* sums_g;
  int64_t* sums_h;
};

// fused: m'r of a tile of ranks: a warp; grid: tiles / kWarps x columns.
__global__ void __launch_bounds__(kThreads) rank_sums(Jobs jobs, SumParams params) {
  if (task_id() >= jobs.tiles) return;
  const TileView view = tile_view(jobs, task_id());
  const uint32_t ranks = at_most_a_tile(view.job.active - view.first);
  const float sigma2 = view.job.scale.sigma2;
  int64_t sum = 0;
  for (uint32_t first = 0; first < ranks; first += kGroup) {
    const uint32_t block = (view.first + first) / kGroup * kGroupBlocks + lane_id();
    const NormalQuad quad = draw_quad(jobs.noise, view, blockIdx.y, Stream::kActive, block);
    int32_t four = 0;
    for (unsigned w = 0; w < 4; ++w) {
      if (first + w * kGroupBlocks + lane_id() < ranks) four += to_grid(quad.z[w], sigma2);
    }
    sum += four;
  }
  sum = warp_sum(sum);
  if (lane_id() != 0) return;
  const size_t weight = size_t{view.index} * jobs.noise.columns + blockIdx.y;
  add_to(&params.sums_g[view.index], params.c[weight] * sum);
  add_to(&params.sums_h[view.index], params.d[weight] * sum);
}

// collapsed: one thread a candidate.
__global__ void __launch_bounds__(kThreads) collapsed(Jobs jobs, PhiloxKey key, SumParams params) {
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= jobs.count) return;
  const Job job = jobs.jobs[i];
  int64_t g = 0;
  int64_t h = 0;
  for (uint32_t k = 0; k < jobs.noise.columns; ++k) {
    const StreamId id{key, jobs.noise.tree, jobs.nodes[job.place].node_id, job.id, k};
    const int64_t sum = collapsed_draw(id, job.scale.sigma2, job.active);
    g += params.c[size_t{i} * jobs.noise.columns + k] * sum;
    h += params.d[size_t{i} * jobs.noise.columns + k] * sum;
  }
  params.sums_g[i] = g;
  params.sums_h[i] = h;
}

// The noisy sums of a level's candidates and what they are scored by.
struct NoisyLevel {
  const Job* jobs;
  const uint32_t* first_job;  // of each node, and the end
  const GradientSum* total;   // of each node
  const int32_t* lift;
  NoisyRule rule;
  double step;
  ScoreParams params;
  // In the simulated modes the sums are of the noise alone. Their exact part: left_sums.
  const GradientSum* left;  // or null
  uint32_t candidates;
  const int32_t* exact_lift;
  double factor;
  // Where the host wants the sums of every candidate, or null.
  int64_t* noted_g;
  int64_t* noted_h;
};

// m'<g> and m'<h> of a candidate from what is left of its noise.
__device__ inline GradientSum with_exact(const NoisyLevel& level, const Job& job,
                                         GradientSum noise) {
  const GradientSum* of_node = level.left + size_t{job.place} * (level.candidates + 1);
  const GradientSum left = of_node[job.id];
  const GradientSum exact = job.flip ? of_node[level.candidates] - left : left;
  const int64_t unit = int64_t{1} << level.exact_lift[job.place];
  if (level.factor != 1) {
    noise.g = llround(level.factor * static_cast<double>(noise.g));
    noise.h = llround(level.factor * static_cast<double>(noise.h));
  }
  return {exact.g * unit + noise.g, exact.h * unit + noise.h};
}

// The first best candidate of each node, as its index; a score that is no number: a sum left 64
// bits. A block a node.
__global__ void __launch_bounds__(kThreads) best_noisy(NoisyLevel level, const int64_t* sums_g,
                                                       const int64_t* sums_h, BestCandidate* best) {
  const uint32_t node = blockIdx.x;
  const GradientSum total = level.total[node];
  const NodeScorer score_of(total, level.step, level.params);
  BestCandidate mine;
  int failed = 0;
  for (uint32_t i = level.first_job[node] + threadIdx.x; i < level.first_job[node + 1];
       i += kThreads) {
    const Job job = level.jobs[i];
    GradientSum active{sums_g[i], sums_h[i]};
    if (level.left != nullptr) active = with_exact(level, job, active);
    if (level.noted_g != nullptr) {
      level.noted_g[i] = active.g;
      level.noted_h[i] = active.h;
    }
    GradientSum left;
    if (noisy_left(level.rule, active, level.lift[node], job.active, job.flip != 0, total, left)) {
      mine.consider(score_of(left), i);
    } else {
      failed = 1;
    }
  }
  failed = __syncthreads_or(failed);
  mine = block_best(mine);
  if (threadIdx.x != 0) return;
  if (failed) mine.score = kFailed;
  best[node] = mine;
}

}  // namespace maskbench::kernels::device
