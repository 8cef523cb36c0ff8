#include "harness/privacy/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/privacy/errors.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/spend.hpp"
#include "harness/privacy/theorem1.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

void check_budget(std::string_view party, double eps, double delta) {
  if (!(eps > 0) || std::isinf(eps)) {
    throw InvalidBudget(fmt::format("{}'s eps must be a positive number, not {}", party, eps));
  }
  if (!(delta > 0 && delta < 1)) {
    throw InvalidBudget(fmt::format("{}'s delta must lie in (0, 1), not {}", party, delta));
  }
}

StepBudget step_budget(Composition composition, double eps, double delta, int64_t K) {
  return composition == Composition::basic ? basic_step(eps, delta, K)
                                           : advanced_step(eps, delta, K);
}

// q of one message. Of a training: <g> and <h> of every candidate on a record's way.
double masked_q(const MaskedBudget& budget, const MaskedCalibration& calibration) {
  if (!is_spent_on_all(budget.reading))
    return message_q(budget.reading, GaussianKind::printed, budget.eps_ap, budget.delta_ap,
                     calibration.ap_steps);
  const auto vectors = static_cast<double>(budget.pp.messages);
  const double h =
      budget.ap.messages > budget.pp.messages ? calibration.mu_hessian / calibration.mu : 0;
  const GaussianShare messages[] = {{1, vectors}, {h, vectors}};
  const double m = spend_on_gaussians(budget.reading, budget.eps_ap, budget.delta_ap, messages);
  return m * m;
}

// The printed theorem needs more than W ln 2 in every step: what that is in total.
[[noreturn]] void throw_infeasible(const MaskedBudget& budget, double delta_pp, double step_eps,
                                   int64_t K) {
  const auto total = [&](int W) {
    const double eps0 = W * std::numbers::ln2;
    if (budget.reading.composition == Composition::basic) return basic_composition(eps0, K);
    return K > 1 ? advanced_composition(eps0, K, delta_pp / 2) : eps0;
  };
  int largest_W = 0;
  while (total(largest_W + 1) < budget.eps_pp) ++largest_W;
  const std::string W_remedy = largest_W > 0
                                   ? fmt::format("the largest feasible W is {}", largest_W)
                                   : std::string("no W is feasible");
  throw Infeasible(fmt::format(
      "PP's budget: eps_pp = {:.6g} over {} step(s) (scope {}, {}) leaves {:.4g} a step, but "
      "theorem "
      "3 as printed needs more than W ln 2 = {:.4f}: {}; the nearest feasible eps_pp for W = {} is "
      "just above {:.4f}, or set privacy.theorem3: tight",
      budget.eps_pp, K, name_of(budget.reading.scope), name_of(budget.reading.composition),
      step_eps, budget.W * std::numbers::ln2, W_remedy, budget.W, total(budget.W)));
}

double ratio_for(const MaskedBudget& budget, double delta_pp, int64_t K, StepBudget& step) {
  constexpr double kMostEps = 1e6;  // beyond it the integrals of theorem 3 leave the numbers
  if (budget.eps_pp > kMostEps)
    throw InvalidBudget(
        fmt::format("privacy.eps_pp = {:.4g} is more than R can be worked out for; "
                    "choose at most {:.4g}, or give privacy.ratio",
                    budget.eps_pp, kMostEps));
  const Reading& reading = budget.reading;
  double R = 0;
  if (is_spent_on_all(reading)) {
    R = spend_on_vectors(reading, budget.eps_pp, delta_pp, budget.W, K);
  } else if (reading.composition == Composition::pld) {
    R = R_max_composed(budget.n, budget.eps_pp, delta_pp, budget.W, K);
  } else if (reading.composition == Composition::gdp) {
    R = R_max_rdp(budget.n, budget.eps_pp, delta_pp, budget.W, K);
  } else {
    step = step_budget(reading.composition, budget.eps_pp, delta_pp, K);
    const bool printed = reading.theorem3 == Theorem3Kind::printed;
    if (printed && step.eps <= budget.W * std::numbers::ln2) {
      throw_infeasible(budget, delta_pp, step.eps, K);
    }
    return solve_ratio(reading.theorem3, budget.n, step.eps, step.delta, budget.W);
  }
  if (R > 0) return R;
  throw Infeasible(
      fmt::format("PP's budget eps_pp = {:.6g}, delta_pp = {:.3g} over {} messages is "
                  "too small for any mask: raise eps_pp or shorten the training",
                  budget.eps_pp, delta_pp, K));
}

}  // namespace

bool is_spent_on_all(const Reading& reading) {
  return reading.scope == Scope::training && reading.theorem3 == Theorem3Kind::tight;
}

double message_q(const Reading& reading, GaussianKind kind, double eps, double delta, int64_t K) {
  double m = 0;
  if (reading.composition == Composition::gdp || reading.composition == Composition::pld) {
    m = gdp_step(eps, delta, K);
  } else {
    const StepBudget step = step_budget(reading.composition, eps, delta, K);
    if (kind == GaussianKind::printed) return s_bound(step.eps, step.delta);
    m = gaussian_m(step.eps, step.delta);
  }
  return m * m;
}

int64_t charged_vectors(const Reading& reading, double mu, bool with_hessian) {
  const double mu_hessian = mu > 0 ? 0 : mu_of_hessian(reading.mu);
  return with_hessian && mu_hessian > 0 ? 2 : 1;
}

void MaskedBudget::set_shape(int64_t rounds, int64_t depth, int64_t candidates, bool with_hessian) {
  pp = {rounds, depth, rounds * depth * candidates};
  ap = pp;
  ap.messages *= charged_vectors(reading, mu, with_hessian);
}

MaskedCalibration calibrate_masked(const MaskedBudget& budget) {
  MaskedCalibration result;
  result.W = budget.W;
  result.zero_noise = budget.zero_noise;
  if (budget.zero_noise) return result;
  if (budget.W < 1) throw InvalidBudget(fmt::format("W must be at least 1, not {}", budget.W));
  if (budget.n < 1) throw InvalidBudget("the number of training rows n must be at least 1");
  result.delta_pp = budget.delta_pp > 0 ? budget.delta_pp : 1 / double(budget.n);
  check_budget("AP", budget.eps_ap, budget.delta_ap);
  result.ap_steps = steps(budget.reading.scope, budget.ap);
  result.pp_steps = steps(budget.reading.scope, budget.pp);
  result.mu = budget.mu > 0 ? budget.mu : mu_of_gradient(budget.reading.mu);
  result.mu_hessian = budget.mu > 0 ? 0 : mu_of_hessian(budget.reading.mu);
  result.q = masked_q(budget, result);
  if (budget.ratio > 0) {
    if (budget.ratio < kSmallestRatio)
      throw InvalidBudget(fmt::format(
          "privacy.ratio = {:.6g} leaves no mask: take at least {:g}, or 0 to solve it from "
          "privacy.eps_pp",
          budget.ratio, kSmallestRatio));
    result.R = budget.ratio;
  } else {
    check_budget("PP", budget.eps_pp, result.delta_pp);
    result.R = ratio_for(budget, result.delta_pp, result.pp_steps, result.pp_step);
  }
  result.sigma1 = std::sqrt(result.R);
  result.sigma2 = 1;
  result.scale = ScaleSolver(budget.reading.unit, result.mu, result.R, result.q);
  return result;
}

MaskedCalibration MaskedCalibration::at(double ratio, double form) const {
  MaskedCalibration out = *this;
  out.R = ratio;
  out.q = form;
  out.sigma1 = std::sqrt(ratio) * sigma2;
  out.scale = ScaleSolver(scale.unit(), mu, ratio, form);
  return out;
}

double MaskedCalibration::C(int64_t n_active, int64_t n_inactive) const {
  return zero_noise ? 0 : scale.C_sigma2_sq(n_active, n_inactive) / (sigma2 * sigma2);
}

double MaskedCalibration::kappa(int64_t n_active, int64_t n_inactive) const {
  return privacy::kappa(double(n_active), C(n_active, n_inactive), sigma2);
}

double MaskedCalibration::m(Unit unit, int64_t n_active, int64_t n_inactive) const {
  const double needed = ScaleSolver(unit, mu, R, 1).C_sigma2_sq(n_active, n_inactive);
  return std::sqrt(needed / scale.C_sigma2_sq(n_active, n_inactive));
}

namespace {

// q of g in one message. `tight`, and a budget of a whole training: by the accountant's sum of all
// messages, h beside g.
double ldp_q(const LdpBudget& budget, double mu) {
  const int64_t K = steps(budget.reading.scope, budget.shape);
  if (budget.gaussian == GaussianKind::printed && budget.reading.scope != Scope::training)
    return message_q(budget.reading, GaussianKind::printed, budget.eps, budget.delta, K);
  const double h =
      budget.with_hessian && budget.mu == 0 ? mu_of_hessian(budget.reading.mu) / mu : 0;
  const GaussianShare messages[] = {{1, double(K)}, {h, double(K)}};
  return std::pow(spend_on_gaussians(budget.reading, budget.eps, budget.delta, messages), 2);
}

}  // namespace

double gaussian_sigma(const LdpBudget& budget) {
  if (budget.zero_noise) return 0;
  check_budget("AP", budget.eps, budget.delta);
  const double mu = budget.mu > 0 ? budget.mu : mu_of_gradient(budget.reading.mu);
  const double q = ldp_q(budget, mu);
  const double entries = budget.reading.unit == Unit::vector ? double(budget.n) : 1;
  return mu * std::sqrt(entries / q);
}

LabelResponse label_rr(double eps) {
  return {1 / (1 + std::exp(eps)), std::exp(eps) / (std::expm1(eps) * std::expm1(eps))};
}

ResponseOdds response_odds(double eps, int q) {
  if (eps > 700) return {1, std::exp(-eps)};  // e^eps is no number there
  const double other = 1 / (std::exp(eps) + q - 1);
  return {std::exp(eps) * other, other};
}

BucketResponse bucket_rr(double eps, int q) {
  if (q < 2) throw InvalidBudget(fmt::format("randomised response needs q >= 2, not {}", q));
  const auto [keep, other] = response_odds(eps, q);
  return {keep, other, other * (1 - other) / ((keep - other) * (keep - other))};
}

}  // namespace maskbench::privacy
