#include "harness/privacy/theorem3_tight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/privacy/contour.hpp"
#include "harness/privacy/errors.hpp"
#include "harness/privacy/rdp.hpp"
#include "harness/privacy/solve.hpp"

namespace maskbench::privacy {
namespace {

constexpr double kLargestRatio = 1e6;

template <class Delta>
double largest_ratio(Delta delta_of, double delta) {
  const double R = largest_below(delta_of, delta, kSmallestRatio, kLargestRatio, 1e-12);
  return R <= kSmallestRatio ? 0 : R;
}

}  // namespace

void add_theorem3_loss(QuadraticLoss& loss, int64_t n, double R, int W, Direction direction,
                       double count) {
  const MaskSpectrum spectrum = mask_spectrum(n, R);
  const double sign = direction == Direction::forward ? 0.5 : -0.5;
  loss.add(loss_eigenvalues(spectrum, direction), sign * spectrum.log_det_ratio, W * count);
}

double theorem3_delta_one_sided(int64_t n, double R, double eps, int W, Direction direction,
                                int64_t K) {
  QuadraticLoss loss;
  add_theorem3_loss(loss, n, R, W, direction, double(K));
  return hockey_stick(loss, eps);
}

double theorem3_delta_tight(int64_t n, double R, double eps, int W) {
  return std::max(theorem3_delta_one_sided(n, R, eps, W, Direction::forward),
                  theorem3_delta_one_sided(n, R, eps, W, Direction::reverse));
}

double theorem3_delta(Theorem3Kind kind, int64_t n, double R, double eps, int W) {
  return kind == Theorem3Kind::printed ? theorem3_delta_printed(n, R, eps, W)
                                       : theorem3_delta_tight(n, R, eps, W);
}

double theorem3_epsilon(Theorem3Kind kind, int64_t n, double R, double delta, int W) {
  const auto shortfall = [&](double eps) { return -theorem3_delta(kind, n, R, eps, W); };
  double high = 1;
  while (-shortfall(high) > delta && high < 1e9) high *= 2;
  const double eps = largest_below(shortfall, -delta, 1e-9, high, 1e-12);
  return eps <= 1e-9 ? 0 : eps;
}

double R_max_printed(int64_t n, double eps, double delta, int W, PrintedConstant constant) {
  return largest_ratio([&](double R) { return theorem3_delta_printed(n, R, eps, W, constant); },
                       delta);
}

double R_max_exactdet(int64_t n, double eps, double delta, int W) {
  return largest_ratio([&](double R) { return theorem3_delta_exactdet(n, R, eps, W); }, delta);
}

double R_max_tight(int64_t n, double eps, double delta, int W) {
  return largest_ratio([&](double R) { return theorem3_delta_tight(n, R, eps, W); }, delta);
}

double R_max_composed(int64_t n, double eps, double delta, int W, int64_t K) {
  const auto delta_of = [&](double R) {
    return std::max(theorem3_delta_one_sided(n, R, eps, W, Direction::forward, K),
                    theorem3_delta_one_sided(n, R, eps, W, Direction::reverse, K));
  };
  return largest_ratio(delta_of, delta);
}

double R_max_rdp(int64_t n, double eps, double delta, int W, int64_t K) {
  const auto cost = [&](double R) {
    return rdp_epsilon([&](double alpha) { return double(K) * theorem3_renyi(n, R, alpha, W); },
                       delta);
  };
  return largest_ratio(cost, eps);
}

double solve_ratio(Theorem3Kind kind, int64_t n, double eps, double delta, int W) {
  const double R = kind == Theorem3Kind::printed ? R_max_printed(n, eps, delta, W)
                                                 : R_max_tight(n, eps, delta, W);
  if (R > 0) return R;
  if (kind == Theorem3Kind::tight) {
    throw Infeasible(
        fmt::format("PP's budget eps_pp = {:.6g}, delta_pp = {:.3g} is too small for "
                    "any mask: raise eps_pp or delta_pp",
                    eps, delta));
  }
  const double ln2 = std::numbers::ln2;
  const int largest_W = int(std::ceil(eps / ln2)) - 1;
  const std::string remedy = largest_W >= 1 ? fmt::format("the largest feasible W is {}", largest_W)
                                            : std::string("no W is feasible");
  throw Infeasible(fmt::format(
      "PP's budget: theorem 3 as printed needs eps_pp > W ln 2, but a step has eps_pp = {:.6g} for "
      "W "
      "= {}: {}; for W = {} raise the step's eps_pp above {:.4f} or set privacy.theorem3: tight",
      eps, W, remedy, W, W * ln2));
}

}  // namespace maskbench::privacy
