#pragma once

#include <cstdint>
#include <limits>

#include "kernels/score.hpp"

namespace maskbench {

// What PP makes of the noisy sums over the active rows of a level's candidates.
struct NoisyRule {
  bool gradient_only = false;  // h is 1 for every row ...
  int64_t one = 0;             // ... and so many steps
  bool clip = false;           // h into [0, H]
};

inline constexpr const char* kSumTooLarge = "masked: a sum leaves 64 bits; raise privacy.eps_ap";

// What a search returns as the score of a node with such a sum.
inline constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

// v 2^bits, unless it would leave 63 bits: noise that large is no longer an integer.
MB_HD inline bool lift(int64_t& v, int bits) {
  const int64_t limit = int64_t{1} << (61 - bits);
  if (v >= limit || v <= -limit) return false;
  v *= int64_t{1} << bits;
  return true;
}

// The sum over a candidate's left rows as PP believes it, from the noisy one of its n_A active
// rows, whose step is 2^bits of the total's. False: it leaves 64 bits.
MB_HD inline bool noisy_left(const NoisyRule& rule, GradientSum active, int bits, uint32_t n_active,
                             bool flip, GradientSum total, GradientSum& left) {
  if (!lift(active.g, bits)) return false;
  if (rule.gradient_only) {
    active.h = rule.one * n_active;
  } else if (!lift(active.h, bits)) {
    return false;
  }
  left = flip ? total - active : active;
  if (rule.clip) {
    const int64_t top = left.h > total.h ? total.h : left.h;
    left.h = left.h < 0 ? 0 : top;
  }
  return true;
}

}  // namespace maskbench
