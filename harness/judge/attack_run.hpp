#pragma once

#include <functional>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/exchange/training.hpp"
#include "harness/judge/prepare.hpp"

namespace maskbench {

// Before training: the records keep what the run's attack will want to read, of the first
// `attack.trees` trees and the first `attack.nodes` nodes of each, and what the method's own probe
// wants of PP's notes.
void keep_for_judge(const RunSpec& spec, Records& records);

// After training: the attack guesses from its party's messages and data, the truth scores it. A
// method whose messages lack what the attack needs gives one row `attack` with status skip.
std::vector<Metric> attack_metrics(const RunSpec& spec, const PreparedData& data,
                                   const Records& records, ThreadPool& pool, uint64_t seed,
                                   const std::function<void(int, int)>& progress = {});

}  // namespace maskbench
