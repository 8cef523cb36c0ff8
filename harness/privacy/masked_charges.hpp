#pragma once

#include <cstdint>

#include "harness/privacy/accountant.hpp"
#include "harness/privacy/calibration.hpp"

namespace maskbench::privacy {

// One candidate of masked: B_i from PP; <g>_i and, unless the variant is gradient-only, <h>_i from
// AP. `count` candidates of the same sizes at once.
void charge_masked_candidate(PrivacyAccountant& accountant, const MaskedCalibration& calibration,
                             bool with_hessian, const Where& where, int64_t n_active,
                             int64_t n_inactive, int64_t count = 1);

// What masked shows beside its mechanisms; once a training.
void charge_masked_exposures(PrivacyAccountant& accountant, const MaskedCalibration& calibration);

// A party draws other noise than agreed: every eps is that of the protocol, not of what was sent.
void charge_deviation(PrivacyAccountant& accountant);

}  // namespace maskbench::privacy
