#pragma once

#include <cstdint>

#include "harness/privacy/readings.hpp"

namespace maskbench::privacy {

// The noise <g> - g of one message, given c: covariance C times that of one column b of B.
struct MaskNoise {
  double C, sigma1_sq, sigma2_sq;
};

// Active rows: the cyclic tridiagonal covariance of one column b, row-major n x n (C = 1).
double active_covariance(int64_t n_active, int64_t row, int64_t column, double sigma1_sq,
                         double sigma2_sq);

// q of unit `vector`, as printed: every entry changes by mu.
double quadratic_form_vector(double mu, int64_t n_active, int64_t n_inactive,
                             const MaskNoise& noise);
// q of unit `record`: one entry changes by mu; the larger of an active and an inactive row.
double quadratic_form_record(double mu, int64_t n_active, int64_t n_inactive,
                             const MaskNoise& noise);
// The same by inverting the covariance (O(n^3)): the check of the closed forms.
double quadratic_form_numeric(Unit unit, double mu, int64_t n_active, int64_t n_inactive,
                              const MaskNoise& noise);
// Limit of `record` for n_A -> infinity: mu^2 / (C sqrt(sigma2^2 (sigma2^2 + 4 sigma1^2))).
double quadratic_form_record_limit(double mu, const MaskNoise& noise);

// g and h of a candidate share B: given both, q becomes q/(1 - r^2), r = c.d/C; infinite at W = 1.
double quadratic_form_pair(double q, double r);
// 1/(1 - r0) with Pr(|r| > r0) = p for c, d uniform on the sphere in R^W. q_g + q_h times it bounds
// the joint form for all but p of the draws; infinite at W = 1.
double pair_inflation(int W, double p);

// C sigma2^2 such that q = q_max, for each candidate's n_A and n_I: O(1), called for every
// candidate of every node. R = sigma1^2/sigma2^2.
class ScaleSolver {
 public:
  ScaleSolver(Unit unit, double mu, double R, double q_max);
  double C_sigma2_sq(int64_t n_active, int64_t n_inactive) const;
  Unit unit() const { return unit_; }

 private:
  Unit unit_;
  double budget_;    // mu^2 / q_max
  double theta_;     // 2 cosh(theta) = 2 + 1/R
  double active_;    // 1 / sqrt(1 + 4R)
  double inactive_;  // 1 / (1 + 2R)
};

}  // namespace maskbench::privacy
