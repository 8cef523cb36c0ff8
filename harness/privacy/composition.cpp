#include "harness/privacy/composition.hpp"

#include <cmath>

#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/solve.hpp"

namespace maskbench::privacy {

double basic_composition(double eps0, int64_t K) {
  return double(K) * eps0;
}

double advanced_composition(double eps0, int64_t K, double delta_prime) {
  const CountedEpsilon steps[] = {{eps0, double(K)}};
  return advanced_composition(steps, delta_prime);
}

double advanced_composition(std::span<const CountedEpsilon> steps, double delta_prime) {
  double squares = 0, drift = 0;
  for (const auto& step : steps) {
    squares += step.count * step.eps * step.eps;
    drift += step.count * step.eps * std::expm1(step.eps);
  }
  return std::sqrt(2 * std::log(1 / delta_prime) * squares) + drift;
}

StepBudget basic_step(double eps, double delta, int64_t K) {
  return {eps / double(K), delta / double(K)};
}

StepBudget advanced_step(double eps, double delta, int64_t K) {
  if (K <= 1) return {eps, delta};
  const auto total = [&](double eps0) { return advanced_composition(eps0, K, delta / 2); };
  return {largest_below(total, eps, 1e-12, eps, 1e-14), delta / (2 * double(K))};
}

double gdp_composition(double m, int64_t K) {
  return m * std::sqrt(double(K));
}

double gdp_step(double eps, double delta, int64_t K) {
  return gaussian_m(eps, delta) / std::sqrt(double(K));
}

}  // namespace maskbench::privacy
