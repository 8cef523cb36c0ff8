#include "kernels/noise.hpp"

#include <cmath>
#include <string>

namespace maskbench::kernels {

NoiseScale noise_scale(double sigma1_steps, double sigma2_steps) {
  if (!(sigma1_steps >= 0) || !(sigma2_steps >= 0)) {
    throw KernelError("noise: sigma1 and sigma2 must not be negative or NaN");
  }
  if (sigma1_steps == 0 && sigma2_steps == 0) return {};
  if (sigma2_steps < kMinSteps) {
    throw KernelError("noise: sigma2 is " + std::to_string(sigma2_steps) +
                      " steps of the grid, at least 4096 are needed; choose a finer step");
  }
  if (kNormalMax * (2 * sigma1_steps + sigma2_steps) + 2 >= kMaxCell) {
    throw KernelError(
        "noise: 6.56 (2 sigma1 + sigma2) is over 2^23 steps of the grid; choose a "
        "coarser step or a smaller sigma1/sigma2");
  }
  const double inactive = std::sqrt(2 * sigma1_steps * sigma1_steps + sigma2_steps * sigma2_steps);
  return {static_cast<float>(sigma1_steps), static_cast<float>(sigma2_steps),
          static_cast<float>(inactive)};
}

}  // namespace maskbench::kernels
