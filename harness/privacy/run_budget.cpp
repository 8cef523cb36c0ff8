#include "harness/privacy/run_budget.hpp"

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

privacy::MaskedCalibration masked_calibration(const RunSpec& spec, size_t rows, size_t candidates) {
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
  return privacy::calibrate_masked(budget);
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
  budget.shape.messages *= privacy::charged_vectors(budget.reading, budget.mu, with_hessian);
  budget.gaussian = spec.ldp.gaussian;
  budget.zero_noise = spec.privacy.zero_noise;
  return privacy::gaussian_sigma(budget);
}

}  // namespace maskbench
