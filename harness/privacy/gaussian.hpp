#pragma once

namespace maskbench::privacy {

// All of these speak of N(0, 1) against N(m, 1): m is the sensitivity over the noise's standard
// deviation, q = m^2 the quadratic form of theorem 2.

// Theorem 2 rearranged: q <= s(eps, delta) suffices. s = 2 (sqrt(L + eps) - sqrt(L))^2, L = ln
// 1/delta.
double s_bound(double eps, double delta);
double s_bound_epsilon(double q, double delta);  // the eps with s(eps, delta) = q

// The analytic (tight) Gaussian mechanism:
// delta = Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m).
double gaussian_delta(double eps, double m);
double gaussian_epsilon(double m, double delta);  // smallest eps >= 0
double gaussian_m(double eps, double delta);      // largest m

// The textbook Gaussian mechanism, sigma = sqrt(2 ln(1.25/delta)) / eps; proven for eps <= 1 only.
double classical_gaussian_m(double eps, double delta);

}  // namespace maskbench::privacy
