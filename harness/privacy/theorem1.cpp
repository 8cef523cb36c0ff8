#include "harness/privacy/theorem1.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "harness/privacy/normal.hpp"

namespace maskbench::privacy {
namespace {

constexpr double kReach = 40;  // standard deviations beyond which a double holds no more mass

// E[ outside(Y) ; Y in (h + kappa from, h + kappa to) ], piece by piece so that a narrow peak far
// from the mean is not stepped over.
template <class F>
double expectation(F outside, double kappa, double h, double from, double to) {
  const auto integrand = [&](double x) { return normal_pdf(x) * outside(h + kappa * x); };
  double sum = 0;
  for (double a = from; a < to; a += 2) {
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        integrand, a, std::min(a + 2, to), 5, 1e-11);
  }
  return sum;
}

double probability_above(double threshold, double g, double kappa) {  // Pr(|X| >= threshold)
  return normal_cdf((g - threshold) / kappa) + normal_cdf((-g - threshold) / kappa);
}

double probability_below(double threshold, double g, double kappa) {  // Pr(|X| <= threshold)
  return normal_cdf((threshold - g) / kappa) - normal_cdf((-threshold - g) / kappa);
}

}  // namespace

double kappa(double n_active, double C, double sigma2) {
  return std::sqrt(n_active * C) * sigma2;
}

double side_deviation_probability(double alpha, double kappa, double g, double h) {
  if (alpha <= 0) return 1;
  if (kappa == 0) return 0;
  const double centre = g * g / h;
  const double size = std::abs(g);
  const double zero = std::clamp(-h / kappa, -kReach, kReach);  // where Y changes sign
  const auto positive = [&](double y) {
    y = std::max(y, 0.0);
    const double above = probability_above(std::sqrt((centre + alpha) * y), size, kappa);
    if (alpha > centre) return above;
    return above + probability_below(std::sqrt((centre - alpha) * y), size, kappa);
  };
  const auto negative = [&](double y) {
    return probability_above(std::sqrt((alpha - centre) * std::max(-y, 0.0)), size, kappa);
  };
  const double deviates = expectation(positive, kappa, h, zero, kReach);
  if (alpha <= centre) return deviates + normal_cdf(-h / kappa);
  return deviates + expectation(negative, kappa, h, -kReach, zero);
}

double utility_bound(double alpha, double kappa, const SplitSums& split) {
  return side_deviation_probability(alpha, kappa, split.gL, split.hL + split.lambda) +
         side_deviation_probability(alpha, kappa, split.gR, split.hR + split.lambda);
}

double utility_bound_printed(double alpha, double kappa, const SplitSums& split) {
  const double hL = split.hL + split.lambda, hR = split.hR + split.lambda;
  if (alpha > std::min(split.gL * split.gL / hL, split.gR * split.gR / hR)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return utility_bound(alpha, kappa, split) + normal_cdf(hL / kappa) + normal_cdf(hR / kappa);
}

}  // namespace maskbench::privacy
