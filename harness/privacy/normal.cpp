#include "harness/privacy/normal.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace maskbench::privacy {

double normal_pdf(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double scaled_erfc(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  // Asymptotic series; the first term left out is below 1e-17 from x = 20 on.
  double term = 1, sum = 1;
  for (int i = 1; i <= 7; ++i) {
    term *= -(2 * i - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * std::sqrt(std::numbers::pi));
}

double log_normal_cdf(double x) {
  if (x > -1) return std::log(normal_cdf(x));
  return std::log(0.5 * scaled_erfc(-x / std::numbers::sqrt2)) - 0.5 * x * x;
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), p);
}

}  // namespace maskbench::privacy
