#pragma once

#include "kernels/candidates.hpp"
#include "kernels/cuda/noise.cuh"

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

__device__ inline GradientSum warp_total(const GradientSum* sums, uint32_t count) {
  GradientSum mine;
  for (uint32_t i = lane_id(); i < count; i += 32) mine += sums[i];
  return of_last_lane(warp_scan(mine));
}

struct ScanParams {
  const FeatureBins* features;
  const GradientSum* histograms;
  uint32_t feature_count;
  uint32_t nodes;
  uint32_t total_bins;
  double step;
  ScoreParams score;
};

// The best candidate of each (node, feature), and its node as a key: a warp each.
__global__ void __launch_bounds__(kThreads)
    scan_score(ScanParams params, BestCandidate* best, uint32_t* keys) {
  const uint32_t task = blockIdx.x * kWarps + warp_id();
  if (task >= params.nodes * params.feature_count) return;
  const uint32_t node = task / params.feature_count;
  const FeatureBins feature = params.features[task % params.feature_count];
  const GradientSum* histogram = params.histograms + size_t{node} * params.total_bins;
  const GradientSum* sums = histogram + feature.offset;
  const NodeScorer score_of(warp_total(histogram, params.features[0].bins()), params.step,
                            params.score);
  const GradientSum missing = feature.has_missing ? sums[feature.value_bins] : GradientSum{};
  GradientSum before;
  BestCandidate mine;
  for (uint32_t first = 0; first < feature.value_bins; first += 32) {
    const uint32_t bin = first + lane_id();
    const bool is_bin = bin < feature.value_bins;
    const GradientSum left = before + warp_scan(is_bin ? sums[bin] : GradientSum{});
    if (is_bin) {
      visit_cut(feature, bin, left, missing, [&](uint32_t number, bool, GradientSum sum) {
        mine.consider(score_of(sum), number);
      });
    }
    before = of_last_lane(left);
  }
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    const BestCandidate other{__shfl_down_sync(kAllLanes, mine.score, offset),
                              __shfl_down_sync(kAllLanes, mine.candidate, offset)};
    if (is_better(other, mine)) mine = other;
  }
  if (lane_id() != 0) return;
  best[task] = mine;
  keys[task] = node;
}

// One thread a candidate; `first` is the number of the first of them.
__global__ void __launch_bounds__(kThreads)
    score(const uint32_t* node, const GradientSum* left, const GradientSum* total, uint32_t first,
          uint32_t count, double step, ScoreParams params, BestCandidate* best) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  BestCandidate mine;
  mine.consider(NodeScorer(total[node[i]], step, params)(left[i]), first + i);
  best[i] = mine;
}

}  // namespace maskbench::kernels::device
