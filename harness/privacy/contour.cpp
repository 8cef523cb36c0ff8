#include "harness/privacy/contour.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace maskbench::privacy {
namespace {

using Complex = std::complex<double>;

double real_exponent(const QuadraticLoss& loss, double eps, double s) {
  double sum = loss.multiplicity * loss.offset * s - s * eps - std::log(s) - std::log1p(s);
  for (const double v : loss.eigenvalues) sum -= 0.5 * loss.multiplicity * std::log1p(-s * v);
  return sum;
}

Complex exponent(const QuadraticLoss& loss, double eps, Complex s) {
  return loss.log_moment(s) - s * eps - std::log(s) - std::log(s + 1.0);
}

double saddle_point(const QuadraticLoss& loss, double eps) {
  // Searched in ln s: eps and the pole may differ by many orders of magnitude.
  const double last = std::log(std::min(loss.pole(), 1e12)) - 1e-9;
  const auto height = [&](double log_s) { return real_exponent(loss, eps, std::exp(log_s)); };
  return std::exp(boost::math::tools::brent_find_minima(height, -30.0, last, 10).first);
}

// How fast the integrand falls across the real axis at the saddle.
double curvature(const QuadraticLoss& loss, double s) {
  double sum = 1 / (s * s) + 1 / ((s + 1) * (s + 1));
  for (const double v : loss.eigenvalues) {
    const double slope = v / (1 - s * v);
    sum += 0.5 * loss.multiplicity * slope * slope;
  }
  return sum;
}

}  // namespace

Complex QuadraticLoss::log_moment(Complex s) const {
  Complex sum = s * offset;
  for (const double v : eigenvalues) sum -= 0.5 * std::log(1.0 - s * v);
  return multiplicity * sum;
}

double QuadraticLoss::pole() const {
  double largest = 0;
  for (const double v : eigenvalues) largest = std::max(largest, v);
  return largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
}

double hockey_stick(const QuadraticLoss& loss, double eps) {
  const double bound = loss.multiplicity * loss.offset;
  if (std::isinf(loss.pole()) && bound <= eps) return 0;  // the loss never reaches eps
  const double saddle = saddle_point(loss, eps);
  const double peak = real_exponent(loss, eps, saddle);
  const double width = 1 / std::sqrt(curvature(loss, saddle));
  // The arms bend to where exp(s (offset - eps)) dies.
  const double opening = (eps > bound ? 0.5 : -0.5) * width;
  const auto term = [&](double u) {
    const Complex s(saddle + opening * (std::cosh(u) - 1), width * std::sinh(u));
    const Complex ds(opening * std::sinh(u), width * std::cosh(u));
    return (std::exp(exponent(loss, eps, s) - peak) * ds).imag();
  };
  const auto trapezoid = [&](double step, double start) {
    double sum = 0;
    for (double u = start; u < 40; u += step) {
      const double value = term(u);
      sum += value;
      if (u > 2 && std::abs(value) < 1e-18) break;
    }
    return sum;
  };
  double step = 0.25;
  double sum = 0.5 * term(0) + trapezoid(step, step);
  for (int halvings = 0; halvings < 8; ++halvings) {
    const double refined = sum + trapezoid(step, step / 2);  // the midpoints
    const double change = std::abs(0.5 * refined - sum);
    step /= 2;
    sum = refined;
    if (change <= 1e-12 * std::abs(refined)) break;
  }
  return std::exp(peak) * sum * step / std::numbers::pi;
}

}  // namespace maskbench::privacy
