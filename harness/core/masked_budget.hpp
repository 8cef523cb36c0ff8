#pragma once

#include "harness/core/budget.hpp"
#include "harness/privacy/calibration.hpp"

namespace maskbench {

// masked's calibration, public to both parties: it follows from the budget, the number of rows and
// PP's number of candidates.
inline privacy::MaskedCalibration masked_calibration(const RunSpec& spec, size_t rows,
                                                     size_t candidates) {
  privacy::MaskedBudget budget;
  budget.eps_ap = spec.privacy.eps_ap;
  budget.delta_ap = spec.privacy.delta_ap;
  budget.eps_pp = spec.privacy.eps_pp;
  budget.delta_pp = delta_pp(spec.privacy, rows);
  budget.n = static_cast<int64_t>(rows);
  budget.W = spec.privacy.W;
  budget.reading = reading_of(spec.privacy);
  const int64_t levels = int64_t{spec.train.rounds} * spec.train.max_depth;
  budget.ap = budget.pp = {spec.train.rounds, spec.train.max_depth,
                           levels * static_cast<int64_t>(candidates)};
  budget.ratio = spec.privacy.ratio;
  budget.mu = mu_of(spec.train);
  budget.zero_noise = spec.privacy.zero_noise;
  return privacy::calibrate_masked(budget);
}

}  // namespace maskbench
