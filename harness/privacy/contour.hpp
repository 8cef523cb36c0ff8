#pragma once

#include <complex>
#include <vector>

namespace maskbench::privacy {

// A privacy loss L = offset + 1/2 sum v_i y_i^2, y ~ N(0, 1), each eigenvalue counted
// `multiplicity` times: what W columns or K messages of theorem 3 add up to.
struct QuadraticLoss {
  std::vector<double> eigenvalues;
  double offset;  // of one copy
  double multiplicity = 1;

  std::complex<double> log_moment(std::complex<double> s) const;  // ln E exp(s L)
  double pole() const;  // E exp(s L) is finite for 0 <= s < pole
};

// E[(1 - exp(eps - L))_+], the tight delta, by inverting the Laplace transform:
// 1/(2 pi i) * integral of E[e^{sL}] e^{-s eps} / (s (s+1)) ds along a hyperbola through the saddle
// point. Relative precision about 1e-11 however small the value is.
double hockey_stick(const QuadraticLoss& loss, double eps);

}  // namespace maskbench::privacy
