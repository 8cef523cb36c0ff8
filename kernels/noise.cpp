#include "kernels/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "kernels/random/random_key.hpp"

namespace maskbench::kernels {

namespace {

double largest_cell(double beta, double sigma2, double inactive) {
  return kNormalMax * std::max(2 * beta + sigma2, inactive) + 2;
}

}  // namespace

NoiseScale noise_scale(double sigma1_steps, double sigma2_steps) {
  if (!(sigma1_steps >= 0) || !(sigma2_steps >= 0)) {
    throw KernelError("noise: sigma1 and sigma2 must not be negative or NaN");
  }
  if (sigma1_steps == 0 && sigma2_steps == 0) return {};
  if (sigma2_steps < kMinSteps) {
    throw KernelError("noise: sigma2 is " + std::to_string(sigma2_steps) +
                      " steps of the grid, at least 4096 are needed; choose a finer step");
  }
  // (sqrt(sigma2^2 + 4 sigma1^2) - sigma2) / 2, without cancellation where sigma1 is small.
  const double beta =
      2 * sigma1_steps * sigma1_steps / (std::hypot(sigma2_steps, 2 * sigma1_steps) + sigma2_steps);
  const double inactive = std::hypot(std::numbers::sqrt2 * sigma1_steps, sigma2_steps);
  if (largest_cell(beta, sigma2_steps, inactive) >= kMaxCell) {
    throw KernelError(
        "noise: 6.56 (2 sigma1 + sigma2) is over 2^23 steps of the grid; choose a "
        "coarser step or a smaller sigma1/sigma2");
  }
  return {static_cast<float>(sigma2_steps), static_cast<float>(beta), static_cast<float>(inactive)};
}

}  // namespace maskbench::kernels

namespace maskbench {

PhiloxKey RandomKey::philox() const {
  if (aes_)
    throw kernels::KernelError(
        "noise.generator: aes draws on backend cpu alone; set backend: cpu, or noise.generator: "
        "philox");
  return philox_;
}

}  // namespace maskbench
