#pragma once

#include "kernels/candidates.hpp"
#include "kernels/cuda/level.cuh"
#include "kernels/response.hpp"

namespace maskbench::kernels::device {

// The sums of the lanes up to and with this one.
__device__ inline GradientSum warp_scan(GradientSum value) {
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const GradientSum below{__shfl_up_sync(kAllLanes, value.g, offset),
                            __shfl_up_sync(kAllLanes, value.h, offset)};
    if (lane_id() >= offset) value += below;
  }
  return value;
}

__device__ inline GradientSum of_last_lane(GradientSum value) {
  return {__shfl_sync(kAllLanes, value.g, 31), __shfl_sync(kAllLanes, value.h, 31)};
}

// The histograms of a level; those of the nodes that were not summed follow by subtraction.
struct LevelSums {
  const FeatureBins* features;
  uint32_t feature_count;
  uint32_t total_bins;
  uint32_t candidates;  // of the party
  const NodeView* nodes;
  bool all;  // were summed
  GradientSum* current;
  const GradientSum* previous;  // of the level above
  const Response* responses;    // of each feature, to be undone; or null
};

__device__ inline bool is_derived(const LevelSums& sums, uint32_t node) {
  return !sums.all && !sums.nodes[node].is_built;
}

__device__ inline GradientSum bin_sum(const LevelSums& sums, uint32_t node, uint32_t bin) {
  if (!is_derived(sums, node)) return sums.current[size_t{node} * sums.total_bins + bin];
  return sums.previous[size_t{sums.nodes[node].parent} * sums.total_bins + bin] -
         sums.current[size_t{node ^ 1} * sums.total_bins + bin];
}

// What a warp knows of a node before it looks at a feature.
struct NodeTotal {
  GradientSum raw;  // over all rows
  GradientSum sum;  // the same from the first feature's bins, its response undone
};

__device__ inline GradientSum undone(const LevelSums& sums, uint32_t feature, GradientSum bin,
                                     GradientSum raw_total) {
  if (sums.responses == nullptr || sums.responses[feature].is_plain()) return bin;
  return undo(sums.responses[feature], bin, raw_total);
}

__device__ inline NodeTotal node_total(const LevelSums& sums, uint32_t node) {
  GradientSum raw;
  const uint32_t bins = sums.features[0].bins();
  for (uint32_t bin = lane_id(); bin < bins; bin += 32) raw += bin_sum(sums, node, bin);
  raw = of_last_lane(warp_scan(raw));
  if (sums.responses == nullptr || sums.responses[0].is_plain()) return {raw, raw};
  GradientSum sum;
  for (uint32_t bin = lane_id(); bin < bins; bin += 32)
    sum += undone(sums, 0, bin_sum(sums, node, bin), raw);
  return {raw, of_last_lane(warp_scan(sum))};
}

// A warp's walk over one feature of a node: visit(number, left) for every candidate, those of a
// lane in order. Keeps the sums that had to be derived.
template <class Visit>
__device__ inline void scan_feature(const LevelSums& sums, uint32_t node, uint32_t number,
                                    GradientSum raw_total, Visit visit) {
  const FeatureBins feature = sums.features[number];
  const auto take = [&](uint32_t bin) {
    const GradientSum sum = bin_sum(sums, node, feature.offset + bin);
    if (is_derived(sums, node))
      sums.current[size_t{node} * sums.total_bins + feature.offset + bin] = sum;
    return undone(sums, number, sum, raw_total);
  };
  GradientSum missing;
  if (feature.has_missing) {
    if (lane_id() == 31) missing = take(feature.value_bins);
    missing = of_last_lane(missing);
  }
  GradientSum before;
  for (uint32_t first = 0; first < feature.value_bins; first += 32) {
    const uint32_t bin = first + lane_id();
    const bool is_bin = bin < feature.value_bins;
    const GradientSum left = before + warp_scan(is_bin ? take(bin) : GradientSum{});
    if (is_bin) {
      visit_cut(feature, bin, left, missing,
                [&](uint32_t candidate, bool, GradientSum sum) { visit(candidate, sum); });
    }
    before = of_last_lane(left);
  }
}

// The best of the block's threads, valid in thread 0.
__device__ inline BestCandidate block_best(BestCandidate mine) {
  __shared__ double scores[kWarps];
  __shared__ uint32_t numbers[kWarps];
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    const BestCandidate other{__shfl_down_sync(kAllLanes, mine.score, offset),
                              __shfl_down_sync(kAllLanes, mine.candidate, offset)};
    if (is_better(other, mine)) mine = other;
  }
  if (lane_id() == 0) {
    scores[warp_id()] = mine.score;
    numbers[warp_id()] = mine.candidate;
  }
  __syncthreads();  // every warp's best is there
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < kWarps; ++w) {
      const BestCandidate other{scores[w], numbers[w]};
      if (is_better(other, mine)) mine = other;
    }
  }
  return mine;
}

// The first best candidate of each node: a block a node, a warp for every eighth feature. Two
// blocks an SM leave it the registers it needs.
__global__ void __launch_bounds__(kThreads, 2)
    best_splits(LevelSums sums, double step, ScoreParams params, BestCandidate* best) {
  const uint32_t node = blockIdx.x;
  const NodeTotal total = node_total(sums, node);
  const NodeScorer score_of(total.sum, step, params);
  BestCandidate mine;
  for (uint32_t f = warp_id(); f < sums.feature_count; f += kWarps) {
    scan_feature(sums, node, f, total.raw,
                 [&](uint32_t number, GradientSum left) { mine.consider(score_of(left), number); });
  }
  mine = block_best(mine);
  if (threadIdx.x == 0) best[node] = mine;
}

// Of gradients {1, 0}: rows left of each candidate, a block a node.
__global__ void __launch_bounds__(kThreads) left_counts(LevelSums sums, uint32_t* counts) {
  uint32_t* out = counts + size_t{blockIdx.x} * sums.candidates;
  for (uint32_t f = warp_id(); f < sums.feature_count; f += kWarps) {
    scan_feature(sums, blockIdx.x, f, {}, [&](uint32_t number, GradientSum left) {
      out[number] = static_cast<uint32_t>(left.g);
    });
  }
}

// The sums over the left rows of each candidate, and each node's total after all of them.
__global__ void __launch_bounds__(kThreads) left_sums(LevelSums sums, GradientSum* left) {
  const NodeTotal total = node_total(sums, blockIdx.x);
  GradientSum* out = left + size_t{blockIdx.x} * (sums.candidates + 1);
  for (uint32_t f = warp_id(); f < sums.feature_count; f += kWarps) {
    scan_feature(sums, blockIdx.x, f, {},
                 [&](uint32_t number, GradientSum sum) { out[number] = sum; });
  }
  if (threadIdx.x == 0) out[sums.candidates] = total.raw;
}

}  // namespace maskbench::kernels::device
