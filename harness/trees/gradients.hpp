#pragma once

#include <span>
#include <vector>

#include "harness/base/spec.hpp"
#include "kernels/histogram.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// Fixed point: value = integer * step. A power of two, so that scaling is exact.
struct FixedPoint {
  int exponent = -kGradientBits;  // step = 2^exponent

  double step() const;
  double real(int64_t v) const { return static_cast<double>(v) * step(); }
  int32_t round(double v) const;  // to nearest; saturates at 2^kGradientBits

  // The finest grid on which values up to `bound` fit in kGradientBits bits.
  static FixedPoint for_bound(double bound);
};

// The gradients of all training rows for one tree, on one grid.
struct Gradients {
  FixedPoint grid;
  std::vector<GradientPair> rows;
};

// What a leaf adds to the margins: learning rate times weight. Throws Error where floats would end,
// as an infinite margin makes every number after it one of nothing.
float leaf_step(double learning_rate, double weight);

// The grid that the objective's gradients lie on.
FixedPoint gradient_grid(const TrainSpec& train);

// Gradients of the objective at the margins:
//   classification: g = sigmoid(z) - y, h = p (1 - p);
//   regression (squared error): g = z - y clipped to +-gradient_clip, h = 1;
//   gbdt: h = 1 for every row.
void compute_gradients(const TrainSpec& train, std::span<const float> labels,
                       std::span<const float> margins, ThreadPool& pool, Gradients& out);

}  // namespace maskbench
