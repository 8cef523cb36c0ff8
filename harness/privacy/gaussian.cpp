#include "harness/privacy/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "harness/privacy/normal.hpp"
#include "harness/privacy/solve.hpp"

namespace maskbench::privacy {

double s_bound(double eps, double delta) {
  const double L = std::log(1 / delta);
  const double difference = eps / (std::sqrt(L + eps) + std::sqrt(L));  // without cancellation
  return 2 * difference * difference;
}

double s_bound_epsilon(double q, double delta) {
  return q / 2 + std::sqrt(2 * q * std::log(1 / delta));  // zCDP with rho = q/2
}

double gaussian_delta(double eps, double m) {
  if (m <= 0) return 0;
  const double upper = m / 2 - eps / m, lower = -m / 2 - eps / m;
  // e^eps Phi(lower) = Phi(upper) exp(-difference): the factor form keeps relative precision.
  if (upper < -37)
    return 0;  // below 1e-299, and the difference of such logarithms has no digit left
  const double ratio = std::min(0.0, eps + log_normal_cdf(lower) - log_normal_cdf(upper));
  return std::exp(log_normal_cdf(upper)) * -std::expm1(ratio);
}

double gaussian_epsilon(double m, double delta) {
  if (gaussian_delta(0, m) <= delta) return 0;
  const auto shortfall = [&](double eps) { return -gaussian_delta(eps, m); };
  const double high = s_bound_epsilon(m * m, delta) + 1;
  const double below = largest_below(shortfall, -delta, 1e-14, high, 1e-15);
  return below;
}

double gaussian_m(double eps, double delta) {
  const auto leak = [&](double m) { return gaussian_delta(eps, m); };
  return largest_below(leak, delta, 1e-12, 1e4, 1e-15);
}

double classical_gaussian_m(double eps, double delta) {
  return eps / std::sqrt(2 * std::log(1.25 / delta));
}

}  // namespace maskbench::privacy
