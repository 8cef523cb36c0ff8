#pragma once

#include <span>
#include <vector>

namespace maskbench {

// One column of B as a hidden Markov model, in units of sigma2. The state is p of the last active
// row: an active row moves it, b = p' - p + r with p' ~ N(0, R) fresh; an inactive one leaves it,
// b ~ N(0, 2R + 1). Forward-backward over the rows, O(n G^2) with p on G points of equal distance:
// the trapezoid rule's error on these Gaussians is below 1e-6. Exact but for that, if the bits are
// independent a priori and the chain is open (the wrap p_0 = p_nA touches two rows only).
class ChainPosterior {
 public:
  explicit ChainPosterior(double R);

  // What b alone says of each bit: ln P(b | m_j = 1)/P(b | m_j = 0), the other bits having the
  // prior log odds `prior` and m_j's own left out.
  void evidence(std::span<const float> b, std::span<const float> prior, std::span<float> out);

 private:
  void kernel(float b);  // N(b; d h, 1) for every difference d of grid points
  void active_step(const float* from, float* to) const;

  int points_;
  float step_, inactive_variance_;
  std::vector<float> weight_;  // N(p; 0, R) on the grid, sum 1
  std::vector<float> kernel_;
  std::vector<float> forward_, backward_, moved_;
};

}  // namespace maskbench
