#include "harness/privacy/contour.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/privacy/solve.hpp"

namespace maskbench::privacy {
namespace {

using Complex = std::complex<double>;

double log_moment_at(const QuadraticLoss& loss, double s) {
  double sum = s * loss.offset;
  for (const auto& [v, multiplicity] : loss.terms) sum -= 0.5 * multiplicity * std::log1p(-s * v);
  return sum;
}

double mean(const QuadraticLoss& loss) {
  double sum = loss.offset;
  for (const auto& [v, multiplicity] : loss.terms) sum += 0.5 * multiplicity * v;
  return sum;
}

// Where |E[e^{sL}] e^{-s eps} / (s (s+1))| is least on the real axis: right of the pole at 0 if eps
// lies in the upper tail, else between the poles at -1 and 0.
double saddle_point(const QuadraticLoss& loss, double eps, bool upper_tail) {
  const auto height = [&](double s) {
    return log_moment_at(loss, s) - s * eps - std::log(std::abs(s)) - std::log1p(s);
  };
  constexpr int kBits = 10;  // the integral does not depend on where the path crosses
  if (!upper_tail) {
    const auto at = [&](double logit) { return height(-1 / (1 + std::exp(-logit))); };
    const double logit = boost::math::tools::brent_find_minima(at, -30.0, 30.0, kBits).first;
    return -1 / (1 + std::exp(-logit));
  }
  const double last = std::log(std::min(loss.pole(), 1e12)) - 1e-9;
  const auto at = [&](double log_s) { return height(std::exp(log_s)); };
  return std::exp(boost::math::tools::brent_find_minima(at, -30.0, last, kBits).first);
}

// Standard deviation, across the real axis, of the Gaussian that the integrand is near the saddle.
double saddle_width(const QuadraticLoss& loss, double s) {
  double curvature = 1 / (s * s) + 1 / ((s + 1) * (s + 1));
  for (const auto& [v, multiplicity] : loss.terms) {
    const double slope = v / (1 - s * v);
    curvature += 0.5 * multiplicity * slope * slope;
  }
  return 1 / std::sqrt(curvature);
}

// Integral of an even analytic function over the real line, by the trapezoidal rule.
template <class F>
double integrate_even(F f) {
  const auto sum_from = [&](double start, double step) {
    double sum = 0;
    for (double u = start; u < 40; u += step) {
      const double value = f(u);
      sum += value;
      if (u > 2 && std::abs(value) < 1e-18 * std::abs(sum)) break;
    }
    return sum;
  };
  double step = 0.25;
  double sum = 0.5 * f(0) + sum_from(step, step);
  for (int halvings = 0; halvings < 8; ++halvings) {
    const double refined = sum + sum_from(step / 2, step);  // the midpoints
    const double change = std::abs(0.5 * refined - sum);
    step /= 2;
    sum = refined;
    if (change <= 1e-12 * std::abs(refined)) break;
  }
  return 2 * sum * step;
}

}  // namespace

void QuadraticLoss::add(const std::vector<double>& eigenvalues, double offset_of_one,
                        double count) {
  for (const double v : eigenvalues) terms.push_back({v, count});
  offset += count * offset_of_one;
}

Complex QuadraticLoss::log_moment(Complex s) const {
  Complex sum = s * offset;
  for (const auto& [v, multiplicity] : terms) sum -= 0.5 * multiplicity * std::log(1.0 - s * v);
  return sum;
}

double QuadraticLoss::pole() const {
  double largest = 0;
  for (const Term& term : terms) largest = std::max(largest, term.v);
  return largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
}

double hockey_stick(const QuadraticLoss& loss, double eps) {
  if (std::isinf(loss.pole()) && loss.offset <= eps) return 0;  // the loss never reaches eps
  const bool upper_tail = mean(loss) <= eps;
  const double saddle = saddle_point(loss, eps, upper_tail);
  const double peak = log_moment_at(loss, saddle) - saddle * eps;
  const double residue = upper_tail ? 0 : 1;  // of the pole at 0, if the path passes left of it
  if (peak < -700) return residue;
  const double width = saddle_width(loss, saddle);
  // The arms bend to where exp(s (offset - eps)) dies.
  const double opening = (eps > loss.offset ? 0.5 : -0.5) * width;
  const auto integrand = [&](double u) {
    const Complex s(saddle + opening * (std::cosh(u) - 1), width * std::sinh(u));
    const Complex ds(opening * std::sinh(u), width * std::cosh(u));
    return (std::exp(loss.log_moment(s) - s * eps - peak) / (s * (s + 1.0)) * ds).imag();
  };
  return residue + std::exp(peak) * integrate_even(integrand) / (2 * std::numbers::pi);
}

double hockey_stick_epsilon(const QuadraticLoss& loss, double delta) {
  const auto shortfall = [&](double eps) { return -hockey_stick(loss, eps); };
  constexpr double kSmallest = 1e-9;
  double high = 1;
  while (-shortfall(high) > delta && high < 1e12) high *= 2;
  const double eps = largest_below(shortfall, -delta, kSmallest, high, 1e-12);
  return eps <= kSmallest ? 0 : eps;
}

}  // namespace maskbench::privacy
