#pragma once

#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/data/party.hpp"

namespace maskbench {

// The paper's bytes a node (claim E3: 8 bytes a value, 2 key lengths a ciphertext) and the payload
// that our own encoding must come to, for runs of a single node: one round, one level. Others have
// no such rows: their nodes differ in size.
std::vector<Metric> communication_metrics(const RunSpec& spec, const PartyData& pp);

}  // namespace maskbench
