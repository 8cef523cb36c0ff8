#pragma once

#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/exchange/method.hpp"

namespace maskbench {

// `attack.name: transcript`: whole trainings of a small shape on two data sets that differ in one
// label, and on two that differ in one record of PP, attack.trials of each; they are told apart by
// anything that crossed (attacks/transcript.hpp). transcript_eps, by party: the lower bound (95 %)
// on eps that this shows; transcript_claim: what the accountant claims for all that crossed (view
// wire) and for what a mechanism covers (view stated), both for the whole training.
std::vector<Metric> transcript_metrics(const Method& method, const RunSpec& spec, ThreadPool& pool,
                                       uint64_t seed);

}  // namespace maskbench
