#pragma once

#include <map>
#include <utility>
#include <vector>

#include "harness/privacy/ledger.hpp"
#include "harness/privacy/mechanism_cost.hpp"

// Which of the messages in a ledger count under a scope.
namespace maskbench::privacy {

using Places = std::map<Where, Ledger::Place>;
using TreeLevel = std::pair<int, int>;

// The content of every step of a scope that costs most: the worst message of all (one step, {0,
// 0}), of each tree ({tree, 0}), of each level; or, for a whole training, all that the costliest
// node of each level sends.
std::map<TreeLevel, Ledger::Counts> costliest_contents(const Ledger& ledger, const Places& places,
                                                       Scope scope, Unit unit);

// All of them together. They point into the ledger.
std::vector<CountedMechanism> counted_steps(const Ledger& ledger, const Places& places, Scope scope,
                                            Unit unit);

}  // namespace maskbench::privacy
