#include "harness/privacy/theorem3.hpp"

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/privacy/errors.hpp"
#include "harness/privacy/normal.hpp"

namespace maskbench::privacy {
namespace {

double theta_of(double rho) {
  return 2 * std::asinh(0.5 * std::sqrt(rho));
}

// Mean over the quarter circle of f(q(phi)), q = q1 cos^2 + q2 sin^2, q1 >= q2.
template <class F>
double circle_mean(double q1, double q2, F f) {
  thread_local boost::math::quadrature::tanh_sinh<double> quadrature(12);
  const auto integrand = [&](double phi) {
    const double cosine = std::cos(phi), sine = std::sin(phi);
    return f(q1 * cosine * cosine + q2 * sine * sine);
  };
  const double quarter = std::numbers::pi / 2;
  return quadrature.integrate(integrand, 0.0, quarter, 1e-13) / quarter;
}

// Pr(q1 y1^2 + q2 y2^2 - lambda y3^2 >= t), t >= 0. exp(-t/2q1) is taken out so that the integral
// keeps its relative precision however small the tail is.
double tail_two_positive(double q1, double q2, double lambda, double t) {
  const auto density = [&](double q) {
    if (q <= 0) return 0.0;
    return std::exp(-0.5 * t * (1 / q - 1 / q1)) / std::sqrt(1 + lambda / q);
  };
  const double tail = std::exp(-0.5 * t / q1);
  return tail > 0 ? tail * circle_mean(q1, q2, density) : 0;  // else q's last bits times t overflow
}

// Pr(lambda y3^2 - q1 y1^2 - q2 y2^2 >= t), t >= 0.
double tail_one_positive(double lambda, double q1, double q2, double t) {
  if (lambda <= 0) return 0;
  const double a = std::sqrt(0.5 * t / lambda), tail = std::exp(-a * a);
  if (!(tail > 0)) return 0;
  const double whole = scaled_erfc(a);
  const auto density = [&](double q) {
    if (q <= 0) return whole;
    const double stretch = std::sqrt(1 + lambda / q);
    return whole - scaled_erfc(a * stretch) / stretch;
  };
  return tail * circle_mean(q1, q2, density);
}

double renyi_one_direction(const std::vector<double>& v, double offset, double alpha) {
  // ln E exp(s L), s = alpha - 1, L = offset + 1/2 sum v y^2.
  const double s = alpha - 1;
  double log_moment = s * offset;
  for (const double value : v) {
    if (s * value >= 1) return std::numeric_limits<double>::infinity();
    log_moment -= 0.5 * std::log1p(-s * value);
  }
  return log_moment / s;
}

}  // namespace

MaskSpectrum mask_spectrum(int64_t n, double R) {
  if (n < 1 || !(R > 0)) throw InvalidBudget("theorem 3 needs n >= 1 and sigma1^2/sigma2^2 > 0");
  const double rho = 1 / R, theta = theta_of(rho);
  const double scale = -std::expm1(-double(n) * theta) * std::sqrt(rho * (rho + 4));
  MaskSpectrum spectrum;
  for (int d = 0; d < 3; ++d) {
    spectrum.abc[d] = (std::exp(-d * theta) + std::exp(-double(n - d) * theta)) / scale;
  }
  if (n == 1) {
    spectrum.k = {2 * R};
    spectrum.log_det_ratio = -std::log1p(2 * R);
    return spectrum;
  }
  const auto [a, b, c] = spectrum.abc;
  const double sum = 4 * b - a - c, product = 2 * (2 * b * b - a * a - a * c);
  const double root = std::sqrt(sum * sum - 4 * product);
  const double k1 = sum > 0 ? (sum + root) / 2 : 2 * product / (sum - root);
  const double k3 = product / k1;
  spectrum.k = n == 2 ? std::vector{k1, k3} : std::vector{k1, a - c, k3};
  spectrum.log_det_ratio = theta - std::log(2 + rho) +
                           2 * (std::log(-std::expm1(-double(n) * theta)) -
                                std::log(-std::expm1(-double(n - 1) * theta)));
  return spectrum;
}

double det_ratio(int64_t n, double R) {
  return std::exp(mask_spectrum(n, R).log_det_ratio);
}

int64_t saturating_n(double R) {
  return 3 + int64_t(std::ceil(40 / theta_of(1 / R)));
}

std::vector<double> loss_eigenvalues(const MaskSpectrum& spectrum, Direction direction) {
  std::vector<double> values = spectrum.k;
  if (direction == Direction::reverse) {
    for (double& v : values) v = -v / (1 + v);
  }
  return values;
}

double quadratic_tail(const std::vector<double>& eigenvalues, double t) {
  std::vector<double> positive, negative;
  for (const double v : eigenvalues) (v > 0 ? positive : negative).push_back(std::abs(v));
  if (t < 0) {
    std::vector<double> mirrored = eigenvalues;
    for (double& v : mirrored) v = -v;
    return 1 - quadratic_tail(mirrored, -t);
  }
  for (auto* side : {&positive, &negative}) std::sort(side->rbegin(), side->rend());
  if (positive.size() > 2 || negative.size() > 2 || eigenvalues.size() > 3) {
    throw std::logic_error("quadratic_tail: at most two eigenvalues of a sign");
  }
  const bool one_positive = positive.size() < 2 && negative.size() == 2;
  positive.resize(2), negative.resize(2);
  if (one_positive) return tail_one_positive(positive[0], negative[0], negative[1], t);
  if (positive[0] <= 0) return 0;
  return tail_two_positive(positive[0], positive[1], negative[0], t);
}

double theorem3_delta_printed(int64_t n, double R, double eps, int W, PrintedConstant constant) {
  const double ln2 = std::numbers::ln2;
  const double t = 2 * eps / W - (constant == PrintedConstant::two_ln2 ? 2 * ln2 : ln2);
  if (t <= 0) return 1;
  return std::min(1.0, W * quadratic_tail(mask_spectrum(n, R).k, t));
}

double theorem3_delta_exactdet(int64_t n, double R, double eps, int W) {
  const MaskSpectrum spectrum = mask_spectrum(n, R);
  const double forward = quadratic_tail(loss_eigenvalues(spectrum, Direction::forward),
                                        2 * eps / W - spectrum.log_det_ratio);
  const double reverse = quadratic_tail(loss_eigenvalues(spectrum, Direction::reverse),
                                        2 * eps / W + spectrum.log_det_ratio);
  return std::min(1.0, W * std::max(forward, reverse));
}

double theorem3_renyi(int64_t n, double R, double alpha, int W) {
  const MaskSpectrum spectrum = mask_spectrum(n, R);
  const double half = 0.5 * spectrum.log_det_ratio;
  const double forward =
      renyi_one_direction(loss_eigenvalues(spectrum, Direction::forward), half, alpha);
  const double reverse =
      renyi_one_direction(loss_eigenvalues(spectrum, Direction::reverse), -half, alpha);
  return W * std::max(forward, reverse);
}

double theorem3_kl(int64_t n, double R, int W) {
  const MaskSpectrum spectrum = mask_spectrum(n, R);
  double forward = 0.5 * spectrum.log_det_ratio, reverse = -forward;
  for (const double k : spectrum.k) forward += 0.5 * k, reverse -= 0.5 * k / (1 + k);
  return W * std::max(forward, reverse);
}

}  // namespace maskbench::privacy
