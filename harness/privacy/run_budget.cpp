#include "harness/privacy/run_budget.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/privacy/errors.hpp"

namespace maskbench {

double delta_pp(const PrivacySpec& p, size_t rows) {
  return p.delta_pp > 0 ? p.delta_pp : 1.0 / static_cast<double>(rows);
}

privacy::Budget budget_of(const PrivacySpec& p, size_t rows) {
  return {p.eps_ap, p.delta_ap, p.eps_pp, delta_pp(p, rows)};
}

double mu_of(const TrainSpec& train) {
  return train.is_regression() ? 2 * train.gradient_clip : 0;
}

namespace {

privacy::MaskedBudget masked_budget(const RunSpec& spec, size_t rows, size_t candidates) {
  privacy::MaskedBudget budget;
  budget.eps_ap = spec.privacy.eps_ap;
  budget.delta_ap = spec.privacy.delta_ap;
  budget.eps_pp = spec.privacy.eps_pp;
  budget.delta_pp = delta_pp(spec.privacy, rows);
  budget.n = static_cast<int64_t>(rows);
  budget.W = spec.privacy.W;
  budget.reading = spec.privacy.as_read();
  budget.mu = mu_of(spec.train);
  budget.set_shape(spec.train.rounds, spec.train.max_depth, static_cast<int64_t>(candidates),
                   !spec.train.gradient_only());
  budget.ratio = spec.privacy.ratio;
  budget.zero_noise = spec.privacy.zero_noise;
  return budget;
}

}  // namespace

privacy::MaskedCalibration masked_calibration(const RunSpec& spec, size_t rows, size_t candidates) {
  return privacy::calibrate_masked(masked_budget(spec, rows, candidates));
}

privacy::MaskedGrid masked_grid(const RunSpec& spec, const privacy::MaskedCalibration& calibration,
                                int gradient_exponent, size_t rows, size_t candidates) {
  const auto n = static_cast<int64_t>(rows);
  const privacy::MaskedGrid grid(calibration, spec.deviation, gradient_exponent, n);
  if (grid.fits()) return grid;
  privacy::MaskedBudget budget = masked_budget(spec, rows, candidates);
  budget.ratio = calibration.R;  // AP's budget does not change it
  const bool too_coarse = grid.is_too_coarse();
  const auto works = [&](double eps) {
    budget.eps_ap = eps;
    return privacy::MaskedGrid(privacy::calibrate_masked(budget), spec.deviation, gradient_exponent,
                               n)
        .fits();
  };
  // Halving or doubling finds a budget that works, bisection the nearest one.
  double bad = spec.privacy.eps_ap, good = bad;
  for (int k = 0; k < 2000 && !works(good); ++k) good *= too_coarse ? 2 : 0.5;
  for (int k = 0; k < 40; ++k) {
    const double middle = std::sqrt(bad) * std::sqrt(good);
    (works(middle) ? good : bad) = middle;
  }
  throw privacy::Infeasible(
      fmt::format("privacy.eps_ap = {:.4g}: the noise it asks for is too {} for the integers of a "
                  "message; the {} eps_ap that works here is {:.3g}",
                  spec.privacy.eps_ap, too_coarse ? "large" : "small",
                  too_coarse ? "smallest" : "largest", good));
}

privacy::MaskedGrid level_grid(const RunSpec& spec, const privacy::MaskedCalibration& calibration,
                               int gradient_exponent, size_t rows) {
  const privacy::MaskedGrid grid(calibration, spec.deviation, gradient_exponent,
                                 static_cast<int64_t>(rows));
  if (grid.fits()) return grid;
  const bool too_coarse = grid.is_too_coarse();
  throw privacy::Infeasible(fmt::format(
      "privacy.eps_ap = {:.4g}: what is left of it for a level asks for noise that is too {} for "
      "the "
      "integers of a message; {} privacy.eps_ap",
      spec.privacy.eps_ap, too_coarse ? "large" : "small", too_coarse ? "raise" : "lower"));
}

bool is_filtered(const RunSpec& spec) {
  return !spec.privacy.zero_noise && privacy::is_spent_on_all(spec.privacy.as_read());
}

privacy::FilterPlan filter_plan(const RunSpec& spec, size_t rows, double candidates, Party party) {
  using privacy::Mechanism;
  const bool of_ap = party == Party::ap;
  privacy::FilterPlan plan;
  plan.reading = spec.privacy.as_read();
  plan.eps = of_ap ? spec.privacy.eps_ap : spec.privacy.eps_pp;
  plan.delta = of_ap ? spec.privacy.delta_ap : delta_pp(spec.privacy, rows);
  plan.rounds = spec.train.rounds;
  plan.depth = spec.train.max_depth;
  plan.candidates = candidates;
  if (!of_ap) {
    plan.most[Mechanism::theorem3(0, spec.privacy.W, 2)] = candidates;  // two leak most
    return plan;
  }
  plan.most[Mechanism::gaussian(1, 1)] += candidates;
  if (privacy::charged_vectors(plan.reading, mu_of(spec.train), !spec.train.gradient_only()) > 1) {
    const double h = mu_of_hessian(plan.reading.mu) / mu_of_gradient(plan.reading.mu);
    plan.most[Mechanism::gaussian(h, h)] += candidates;
  }
  return plan;
}

double ldp_sigma(const RunSpec& spec, size_t rows, bool with_hessian) {
  const bool each_level = spec.ldp.refresh == Refresh::node;
  privacy::LdpBudget budget;
  budget.eps = spec.privacy.eps_ap;
  budget.delta = spec.privacy.delta_ap;
  budget.n = static_cast<int64_t>(rows);
  budget.reading = spec.privacy.as_read();
  budget.mu = mu_of(spec.train);
  budget.shape = {spec.train.rounds, spec.train.max_depth,
                  spec.train.rounds * (each_level ? spec.train.max_depth : 1)};
  budget.with_hessian = with_hessian;
  budget.gaussian = spec.ldp.gaussian;
  budget.zero_noise = spec.privacy.zero_noise;
  return privacy::gaussian_sigma(budget);
}

}  // namespace maskbench
