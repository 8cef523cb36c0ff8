#pragma once

#include "harness/base/spec.hpp"
#include "harness/privacy/accountant.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/filter.hpp"
#include "harness/privacy/masked_grid.hpp"

// A run's budget as its spec words it, for the privacy maths. All of it is public.
namespace maskbench {

// delta_PP, where 0 stands for 1/n.
double delta_pp(const PrivacySpec& p, size_t rows);
privacy::Budget budget_of(const PrivacySpec& p, size_t rows);

// The largest change of a gradient that a neighbour may make; 0 leaves it to the reading.
double mu_of(const TrainSpec& train);

// masked's calibration: it follows from the budget, the number of rows and PP's number of
// candidates.
privacy::MaskedCalibration masked_calibration(const RunSpec& spec, size_t rows, size_t candidates);

// Is masked's budget handed to the levels of a training as they come? And how, for one party.
bool is_filtered(const RunSpec& spec);
privacy::FilterPlan filter_plan(const RunSpec& spec, size_t rows, double candidates, Party party);

// The grid of masked's messages. Throws Infeasible, naming privacy.eps_ap and the nearest budget
// that works, if the noise is larger or smaller than integers of 32 bits carry.
privacy::MaskedGrid masked_grid(const RunSpec& spec, const privacy::MaskedCalibration& calibration,
                                int gradient_exponent, size_t rows, size_t candidates);
// The same where a level has a calibration of its own.
privacy::MaskedGrid level_grid(const RunSpec& spec, const privacy::MaskedCalibration& calibration,
                               int gradient_exponent, size_t rows);

// Noise of the LDP baselines. `with_hessian`: h is released beside g.
double ldp_sigma(const RunSpec& spec, size_t rows, bool with_hessian);

}  // namespace maskbench
