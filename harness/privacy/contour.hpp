#pragma once

#include <complex>
#include <vector>

namespace maskbench::privacy {

// A privacy loss L = offset + 1/2 sum_i v_i chi^2(multiplicity_i): what W columns and any number of
// messages of theorem 3 add up to.
struct QuadraticLoss {
  struct Term {
    double v, multiplicity;
  };
  std::vector<Term> terms;
  double offset = 0;

  void add(const std::vector<double>& eigenvalues, double offset_of_one, double count);
  std::complex<double> log_moment(std::complex<double> s) const;  // ln E exp(s L)
  double pole() const;  // E exp(s L) is finite for 0 <= s < pole
};

// E[(1 - exp(eps - L))_+], the tight delta, by inverting the Laplace transform:
// 1/(2 pi i) * integral of E[e^{sL}] e^{-s eps} / (s (s+1)) ds along a hyperbola through the saddle
// point. Relative precision about 1e-11 however small the value is.
double hockey_stick(const QuadraticLoss& loss, double eps);

// Smallest eps >= 0 with hockey_stick(loss, eps) <= delta.
double hockey_stick_epsilon(const QuadraticLoss& loss, double delta);

}  // namespace maskbench::privacy
