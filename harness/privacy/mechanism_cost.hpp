#pragma once

#include <map>
#include <span>
#include <utility>

#include "harness/privacy/mechanism.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench::privacy {

using CountedMechanism = std::pair<const Mechanism*, double>;

// Cycle length that decides theorem 3 for a message with n_A active rows: its neighbours have
// n_A - 1 (cycle n_A) or n_A + 1; shorter cycles leak more, except that 2 is worse than 1.
int64_t deciding_cycle(int64_t n_active);

double gaussian_ratio(const Mechanism& mechanism, Unit unit);
double kl_weight(const Mechanism& mechanism, Unit unit);  // orders messages by what they leak

// eps of one message at delta; the Gaussian and theorem 3 `tight` exactly.
double message_epsilon(const Mechanism& mechanism, const Reading& reading, double delta);
double message_renyi(const Mechanism& mechanism, Unit unit, double alpha);

// eps of single messages that were worked out before, by mechanism and delta.
using EpsilonMemo = std::map<std::pair<Mechanism, double>, double>;

// eps at delta of all steps under the reading's composition.
double composed_cost(std::span<const CountedMechanism> steps, const Reading& reading, double delta,
                     EpsilonMemo* known = nullptr);
// Noise vectors of theorem 3 alone: the exact delta at eps, the larger of both directions.
double theorem3_delta_of(std::span<const CountedMechanism> steps, double eps);

}  // namespace maskbench::privacy
