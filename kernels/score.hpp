#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace maskbench {

// Sums of fixed-point gradients and hessians over a set of rows.
struct GradientSum {
  int64_t g = 0;
  int64_t h = 0;

  MB_HD constexpr GradientSum operator+(GradientSum o) const { return {g + o.g, h + o.h}; }
  MB_HD constexpr GradientSum operator-(GradientSum o) const { return {g - o.g, h - o.h}; }
  MB_HD constexpr GradientSum& operator+=(GradientSum o) { return *this = *this + o; }
  bool operator==(const GradientSum&) const = default;
};

struct ScoreParams {
  double lambda = 1.0;
  double gamma = 0.0;
  double min_child_weight = 1.0;
};

// G^2 / (H + lambda), the quality of a leaf.
MB_HD inline double leaf_quality(double g, double h, double lambda) {
  return g * g / (h + lambda);
}

// Gain of a split into (gl, hl) and (gr, hr); parent_quality is leaf_quality of their sum.
MB_HD inline double split_score(double gl, double hl, double gr, double hr, double parent_quality,
                                const ScoreParams& p) {
  return 0.5 * (leaf_quality(gl, hl, p.lambda) + leaf_quality(gr, hr, p.lambda) - parent_quality) -
         p.gamma;
}

// Both children need enough hessian, and under noise a denominator can be <= 0: not eligible.
MB_HD inline bool eligible(double hl, double hr, const ScoreParams& p) {
  return hl >= p.min_child_weight && hr >= p.min_child_weight && hl + p.lambda > 0 &&
         hr + p.lambda > 0;
}

MB_HD inline double leaf_weight(double g, double h, double lambda) {
  return -g / (h + lambda);
}

}  // namespace maskbench
