#pragma once

#include <vector>

#include "harness/exchange/method.hpp"

namespace maskbench {

// What PP's answers tell AP of PP's features when a model with a score of PP's is used: how well
// the answers order the rows by each splitting vector of PP (area under the curve, 1/2: nothing; AP
// is granted the direction). After one query a row and after 10000: query_bit_auc (mean over the
// vectors) and query_bit_auc_max, by queries.
std::vector<Metric> query_metrics(const ProbeInput& input);

}  // namespace maskbench
