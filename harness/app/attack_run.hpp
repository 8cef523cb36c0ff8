#pragma once

#include <functional>
#include <vector>

#include "harness/app/prepare.hpp"
#include "harness/core/metric.hpp"
#include "harness/core/spec.hpp"
#include "harness/core/wire.hpp"

namespace maskbench {

// Before training: the wire keeps what the run's attack will want to read, of the first
// `attack.trees` trees and the first `attack.nodes` nodes of each.
void keep_for_attack(const RunSpec& spec, Wire& wire);

// After training: the attack guesses from its party's messages and data, the truth scores it. A
// method whose wire lacks what the attack needs gives one row `attack` with status skip.
std::vector<Metric> attack_metrics(const RunSpec& spec, const PreparedData& data, const Wire& wire,
                                   ThreadPool& pool, uint64_t seed,
                                   const std::function<void(int, int)>& progress = {});

}  // namespace maskbench
