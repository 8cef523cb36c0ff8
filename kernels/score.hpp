#pragma once

#include <cstdint>
#include <limits>

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

inline constexpr double kNoSplit = -std::numeric_limits<double>::infinity();
inline constexpr uint32_t kNoCandidate = ~0u;

struct BestCandidate {
  double score = kNoSplit;
  uint32_t candidate = kNoCandidate;

  // The next candidate in order: ties go to the first.
  MB_HD void consider(double next_score, uint32_t next) {
    if (next_score > score) *this = {next_score, next};
  }
  bool operator==(const BestCandidate&) const = default;
};

// The same in any order.
MB_HD inline bool is_better(const BestCandidate& a, const BestCandidate& b) {
  return a.score > b.score || (a.score == b.score && a.candidate < b.candidate);
}

// Scores the splits of one node from the sums over their left rows, in units of `step`.
class NodeScorer {
 public:
  MB_HD NodeScorer(GradientSum total, double step, const ScoreParams& params)
      : total_(total), step_(step), params_(params) {
    parent_ = leaf_quality(real(total.g), real(total.h), params.lambda);
  }

  MB_HD double operator()(GradientSum left) const {
    const GradientSum right = total_ - left;
    const double hl = real(left.h);
    const double hr = real(right.h);
    if (!eligible(hl, hr, params_)) return kNoSplit;
    return split_score(real(left.g), hl, real(right.g), hr, parent_, params_);
  }

 private:
  MB_HD double real(int64_t v) const { return static_cast<double>(v) * step_; }

  GradientSum total_;
  double step_;
  double parent_ = 0;
  ScoreParams params_;
};

}  // namespace maskbench
