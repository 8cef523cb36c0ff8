#pragma once

#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// `attack.name: audit`: trains on two tiny data sets that differ in one record, attack.trials times
// each, tells them apart by what crossed the wire, and puts the lower bound on eps that this shows
// (95 %) beside what the accountant claims: audit_eps and audit_claim, by party and view.
// Mechanisms, calibration and wire are the run's own; only the data is the audit's.
std::vector<Metric> audit_metrics(const RunSpec& spec, ThreadPool& pool, uint64_t seed);

}  // namespace maskbench
