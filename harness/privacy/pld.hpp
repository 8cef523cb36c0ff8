#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "harness/privacy/theorem3.hpp"

namespace maskbench::privacy {

// A mechanism as its privacy profile: delta(eps) for eps >= 0, and the same with the two neighbours
// exchanged. `scale` is the typical size of its loss (sqrt(2 KL); m for a Gaussian), it sets the
// grid.
struct LossProfile {
  std::function<double(double)> delta;
  std::function<double(double)> exchanged;  // empty: the same
  double scale;
  double largest =
      std::numeric_limits<double>::infinity();  // no loss is beyond: eps, if it is pure
};

LossProfile gaussian_profile(double m);
LossProfile pure_profile(double eps);                    // binary randomised response: the worst
LossProfile bucket_response_profile(double eps, int q);  // q-ary randomised response
// W columns of theorem 3 with n active rows; the truth is what `direction` says.
LossProfile theorem3_profile(int64_t n, double R, int W, Direction direction);

// A privacy loss on a grid: mass[i] at loss (lowest + i) step, and the mass at infinity.
struct Pld {
  double step;
  long lowest;
  std::vector<double> mass;
  double infinite;

  double delta(double eps) const;
  double epsilon(double delta) const;  // smallest eps >= 0; infinite if the mass there is too large
};

// Connect the dots (Doroshenko et al. 2022): the smallest discrete loss whose profile equals the
// given one on the grid and lies above it between; so every result is an upper bound.
Pld discretise(const LossProfile& profile, double step, double tail);

struct CountedProfile {
  LossProfile profile;
  double count;
};

// All of them together, by FFT. `tail` is the probability that may be moved to infinity.
Pld compose(std::span<const CountedProfile> profiles, double tail);

// eps of all together for the worst of three patterns of neighbours: every message as given, every
// one exchanged, half of each exchanged. (One record's change may turn some bits on, others off.)
double composed_epsilon(std::span<const CountedProfile> profiles, double delta);

}  // namespace maskbench::privacy
