#pragma once

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

namespace maskbench::privacy {

// Largest x in [low, high] with increasing(x) <= target, found on the logarithmic scale to a
// relative precision; the returned end of the bracket never exceeds the target. `high` itself if
// even increasing(high) <= target, `low` if already increasing(low) > target.
template <class F>
double largest_below(F increasing, double target, double low, double high,
                     double precision = 1e-13) {
  if (increasing(low) > target) return low;
  if (increasing(high) <= target) return high;
  // Capped, because an infinite end would spoil the interpolation.
  const auto gap = [&](double log_x) {
    return std::min(increasing(std::exp(log_x)) - target, 1e3 * std::abs(target));
  };
  const auto close = [&](double a, double b) {
    return std::abs(a - b) <= precision * std::max(1.0, std::abs(a));
  };
  // exp(log(x)) is not x to the last bit: an end that lies on the target may be on its other side.
  const double a = std::log(low), b = std::log(high), at_a = gap(a), at_b = gap(b);
  if (at_a >= 0) return low;
  if (at_b <= 0) return std::exp(b);
  std::uintmax_t iterations = 400;
  const auto bracket = boost::math::tools::toms748_solve(gap, a, b, at_a, at_b, close, iterations);
  return std::exp(bracket.first);
}

}  // namespace maskbench::privacy
