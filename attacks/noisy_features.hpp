#pragma once

#include "attacks/attack.hpp"

namespace maskbench {

// federboost, bilateral-rr, opboost: PP's buckets by a response. The posterior of each row's
// bucket, with the debiased frequencies as the prior, gives the probability of every candidate's
// bits.
BitsGuesses from_buckets(const AttackInput& input);

// smm: V = (I - U U') M with U known: M is V but for a part in the span of U, rounded to bits and
// corrected once with the rounded M.
BitsGuesses from_projections(const AttackInput& input);

}  // namespace maskbench
