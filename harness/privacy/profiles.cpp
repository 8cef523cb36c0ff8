#include <algorithm>
#include <cmath>

#include "harness/privacy/calibration.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/pld.hpp"
#include "harness/privacy/theorem3.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {

LossProfile gaussian_profile(double m) {
  return {[m](double eps) { return gaussian_delta(eps, m); }, {}, m};
}

LossProfile pure_profile(double eps) {
  return bucket_response_profile(eps, 2);
}

LossProfile bucket_response_profile(double eps, int q) {
  const double keep = response_odds(eps, q).keep, other = response_odds(eps, q).other;
  const auto delta = [=](double x) { return std::max(0.0, keep - std::exp(x) * other); };
  return {delta, {}, std::sqrt(2 * (keep - other) * eps), eps};
}

LossProfile theorem3_profile(int64_t n, double R, int W, Direction direction) {
  const auto delta_in = [=](Direction truth) {
    return [=](double eps) { return theorem3_delta_one_sided(n, R, eps, W, truth); };
  };
  const Direction other = direction == Direction::forward ? Direction::reverse : Direction::forward;
  return {delta_in(direction), delta_in(other), std::sqrt(2 * theorem3_kl(n, R, W))};
}

}  // namespace maskbench::privacy
