#include "harness/privacy/theorem2.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "harness/privacy/errors.hpp"

namespace maskbench::privacy {
namespace {

double mask_theta(double R) {
  return 2 * std::asinh(0.5 / std::sqrt(R));
}

}  // namespace

double active_covariance(int64_t n_active, int64_t row, int64_t column, double sigma1_sq,
                         double sigma2_sq) {
  // u_t = p_t - p_{t-1}, cyclic; n_A = 1 and 2 follow from the definition (p_0 is p_{nA}).
  const auto coefficient = [&](int64_t t, int64_t p) {
    return double(t == p) - double((t + n_active - 1) % n_active == p);
  };
  double sum = row == column ? sigma2_sq : 0;
  for (const int64_t p : {row, (row + n_active - 1) % n_active}) {
    sum += sigma1_sq * coefficient(row, p) * coefficient(column, p);
    if (n_active == 1) break;
  }
  return sum;
}

double quadratic_form_vector(double mu, int64_t n_active, int64_t n_inactive,
                             const MaskNoise& noise) {
  const double inactive = double(n_inactive) / (2 * noise.sigma1_sq + noise.sigma2_sq);
  return mu * mu / noise.C * (inactive + double(n_active) / noise.sigma2_sq);
}

double quadratic_form_record(double mu, int64_t n_active, int64_t n_inactive,
                             const MaskNoise& noise) {
  const double R = noise.sigma1_sq / noise.sigma2_sq;
  const ScaleSolver solver(Unit::record, mu, R, 1);
  return solver.C_sigma2_sq(n_active, n_inactive) / (noise.C * noise.sigma2_sq);
}

double quadratic_form_numeric(Unit unit, double mu, int64_t n_active, int64_t n_inactive,
                              const MaskNoise& noise) {
  const int64_t n = n_active + n_inactive;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i < n_active && j < n_active) {
        covariance(i, j) = active_covariance(n_active, i, j, noise.sigma1_sq, noise.sigma2_sq);
      } else if (i == j) {
        covariance(i, j) = 2 * noise.sigma1_sq + noise.sigma2_sq;
      }
    }
  }
  const Eigen::MatrixXd inverse =
      (noise.C * covariance).llt().solve(Eigen::MatrixXd::Identity(n, n));
  if (unit == Unit::record) return mu * mu * inverse.diagonal().maxCoeff();
  return mu * mu * inverse.sum();  // the change (mu, ..., mu), the printed choice
}

double quadratic_form_record_limit(double mu, const MaskNoise& noise) {
  return mu * mu / (noise.C * std::sqrt(noise.sigma2_sq * (noise.sigma2_sq + 4 * noise.sigma1_sq)));
}

double quadratic_form_pair(double q, double r) {
  const double remaining = (1 - r) * (1 + r);
  return remaining > 0 ? q / remaining : std::numeric_limits<double>::infinity();
}

double pair_inflation(int W, double p) {
  if (W <= 1) return std::numeric_limits<double>::infinity();
  // r^2 ~ Beta(1/2, (W-1)/2).
  const double square = boost::math::ibetac_inv(0.5, 0.5 * (W - 1), p);
  return 1 / (1 - std::sqrt(square));
}

ScaleSolver::ScaleSolver(Unit unit, double mu, double R, double q_max)
    : unit_(unit),
      budget_(mu * mu / q_max),
      theta_(mask_theta(R)),
      active_(1 / std::sqrt(1 + 4 * R)),
      inactive_(1 / (1 + 2 * R)) {
  if (!(R > 0)) {
    throw InvalidBudget(
        "theorem 2 needs sigma1^2/sigma2^2 > 0: raise privacy.ratio or privacy.eps_pp");
  }
  if (!(q_max > 0)) {
    throw InvalidBudget("privacy.eps_ap is so small that no number holds its noise; raise it");
  }
}

double ScaleSolver::C_sigma2_sq(int64_t n_active, int64_t n_inactive) const {
  if (unit_ == Unit::vector) return budget_ * (double(n_inactive) * inactive_ + double(n_active));
  const double x = 0.5 * theta_ * double(n_active);  // tanh is 1 in double from 20 on
  const double of_active = n_active > 0 ? (x > 20 ? active_ : active_ / std::tanh(x)) : 0.0;
  return budget_ * std::max(of_active, n_inactive > 0 ? inactive_ : 0.0);
}

}  // namespace maskbench::privacy
