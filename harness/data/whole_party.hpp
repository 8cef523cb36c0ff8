#pragma once

#include "harness/data/dataset.hpp"
#include "harness/data/party.hpp"

namespace maskbench {

// A party that holds the features [first, last) of a data set, cut and binned over all rows.
PartyData whole_party(const Dataset& data, int first, int last, int max_bins);

}  // namespace maskbench
