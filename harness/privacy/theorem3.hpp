#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace maskbench::privacy {

// Theorem 3 compares one column b of B for two splitting vectors that differ in one bit: Sigma with
// n active rows, Sigma' with n - 1 active rows and that row inactive. Everything depends on n and
// R = sigma1^2/sigma2^2 alone.
struct MaskSpectrum {
  std::array<double, 3>
      abc;                // a, b, c: the entries of Sigma^-1 at distance 0, 1, 2, times sigma1^2
  std::vector<double> k;  // eigenvalues of Sigma^-1 Sigma' - 1 that are not 0, k1 > k2 > k3
  double log_det_ratio;   // ln det Sigma/det Sigma' = -sum ln(1 + k)
};

MaskSpectrum mask_spectrum(int64_t n, double R);
double det_ratio(int64_t n, double R);

// From this n on z^n is below one rounding: nothing changes any more.
int64_t saturating_n(double R);

// forward: the truth is Sigma' (k); reverse: the truth is Sigma (-k/(1+k)).
enum class Direction { forward, reverse };
std::vector<double> loss_eigenvalues(const MaskSpectrum& spectrum, Direction direction);

// Pr(sum_i v_i y_i^2 >= t) for y ~ N(0, 1), exact: one integral over a quarter circle. At most two
// eigenvalues of one sign and one of the other.
double quadratic_tail(const std::vector<double>& eigenvalues, double t);

enum class PrintedConstant { two_ln2, ln2 };  // the paper prints both

// Theorem 3 as printed: delta = W Pr(y'ky >= 2 eps/W - 2 ln 2), 1 where eps <= W ln 2.
double theorem3_delta_printed(int64_t n, double R, double eps, int W,
                              PrintedConstant constant = PrintedConstant::two_ln2);
// The same argument with the exact determinant ratio and both directions.
double theorem3_delta_exactdet(int64_t n, double R, double eps, int W);

// Renyi divergence of order alpha of all W columns, the larger of both directions; infinite beyond
// the pole.
double theorem3_renyi(int64_t n, double R, double alpha, int W);
// Kullback-Leibler divergence of all W columns, the larger of both directions.
double theorem3_kl(int64_t n, double R, int W);

}  // namespace maskbench::privacy
