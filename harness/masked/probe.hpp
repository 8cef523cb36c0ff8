#pragma once

#include "harness/exchange/method.hpp"

namespace maskbench {

// How far PP's choices are from what they would be without noise, and how often theorem 1's bound
// was met: true_argmax_share, gain_lost, thm1_deviation_share, thm1_bound. From the model, the
// clean data and PP's notes.
std::vector<Metric> masked_probe(const ProbeInput& input);

}  // namespace maskbench
