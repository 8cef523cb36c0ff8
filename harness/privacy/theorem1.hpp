#pragma once

namespace maskbench::privacy {

// A split as PP sees it before noise; lambda is added to both hessian sums.
struct SplitSums {
  double gL, hL, gR, hR, lambda;
};

// kappa = sqrt(n_A C) sigma2: standard deviation of the noise on m'<g>.
double kappa(double n_active, double C, double sigma2);

// Pr(|X^2/Y - g^2/h| >= alpha) for X ~ N(g, kappa^2), Y ~ N(h, kappa^2) independent, h > 0 with
// lambda already in it. Both cases of the proof: alpha <= g^2/h and alpha > g^2/h.
double side_deviation_probability(double alpha, double kappa, double g, double h);

// Theorem 1: the probability that the noisy score is off by alpha or more is at most
// U = Pr(L) + Pr(R).
double utility_bound(double alpha, double kappa, const SplitSums& split);

// U as the paper prints it: without the "- 1" in Pr(X^2 <= beta' t) = Phi(a) + Phi(b) - 1, so each
// side gains Pr(Y > 0). For alpha <= min(C_L, C_R) only, as there; otherwise NaN.
double utility_bound_printed(double alpha, double kappa, const SplitSums& split);

}  // namespace maskbench::privacy
