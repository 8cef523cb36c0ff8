#include "harness/trees/gradients.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "kernels/math.hpp"

namespace maskbench {

namespace {

constexpr size_t kChunk = 1 << 14;
constexpr float kLimit = 1 << kGradientBits;

int32_t quantise(float v, float inverse_step) {
  const float scaled = std::clamp(v * inverse_step, -kLimit, kLimit);
  return static_cast<int32_t>(scaled + (scaled < 0 ? -0.5f : 0.5f));
}

// Branch-free, so that the compiler vectorises it.
void logistic_gradients(const float* labels, const float* margins, size_t count, float inverse_step,
                        GradientPair* out) {
  for (size_t j = 0; j < count; ++j) {
    const float p = sigmoid_f32(margins[j]);
    // Neither can leave the grid: |p - y| <= 1.
    const float g = (p - labels[j]) * inverse_step;
    const float h = p * (1.0f - p) * inverse_step;
    out[j].g = static_cast<int32_t>(g + (g < 0 ? -0.5f : 0.5f));
    out[j].h = static_cast<int32_t>(h + 0.5f);
  }
}

void squared_gradients(const float* labels, const float* margins, size_t count, float inverse_step,
                       float clip, GradientPair* out) {
  const int32_t one = quantise(1.0f, inverse_step);
  for (size_t j = 0; j < count; ++j) {
    out[j] = {quantise(std::clamp(margins[j] - labels[j], -clip, clip), inverse_step), one};
  }
}

}  // namespace

double FixedPoint::step() const {
  return std::ldexp(1.0, exponent);
}

int32_t FixedPoint::round(double v) const {
  const double limit = kLimit;
  return static_cast<int32_t>(std::lround(std::clamp(v / step(), -limit, limit)));
}

FixedPoint FixedPoint::for_bound(double bound) {
  int exponent = 0;
  std::frexp(std::max(bound, 1e-30), &exponent);           // bound < 2^exponent ...
  if (std::ldexp(1.0, exponent - 1) >= bound) --exponent;  // ... or equal to 2^(exponent - 1)
  return {exponent - kGradientBits};
}

float leaf_step(double learning_rate, double weight) {
  constexpr double kMost = 1e30;  // a hundred million of them are still a float
  const double step = learning_rate * weight;
  if (!(std::abs(step) <= kMost))
    throw Error(
        "a leaf's weight is beyond 1e30: use a smaller learning_rate, a larger lambda or smaller "
        "labels");
  return static_cast<float>(step);
}

FixedPoint gradient_grid(const TrainSpec& train) {
  return FixedPoint::for_bound(train.is_regression() ? std::max(1.0, train.gradient_clip) : 1.0);
}

void compute_gradients(const TrainSpec& train, std::span<const float> labels,
                       std::span<const float> margins, ThreadPool& pool, Gradients& out) {
  const bool regression = train.is_regression();
  out.grid = gradient_grid(train);
  const float inverse_step = static_cast<float>(1.0 / out.grid.step());
  out.rows.resize(labels.size());
  pool.run((labels.size() + kChunk - 1) / kChunk, [&](size_t chunk, int) {
    const size_t begin = chunk * kChunk;
    const size_t count = std::min(kChunk, labels.size() - begin);
    GradientPair* rows = out.rows.data() + begin;
    if (regression) {
      const auto clip = static_cast<float>(train.gradient_clip);
      squared_gradients(labels.data() + begin, margins.data() + begin, count, inverse_step, clip,
                        rows);
      return;
    }
    logistic_gradients(labels.data() + begin, margins.data() + begin, count, inverse_step, rows);
    if (!train.gbdt) return;
    for (size_t j = 0; j < count; ++j) rows[j].h = quantise(1.0f, inverse_step);
  });
}

}  // namespace maskbench
