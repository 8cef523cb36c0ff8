#pragma once

#include <span>
#include <string>

#include "harness/sweep/store.hpp"

namespace maskbench {

// The table at the end of a sweep: for each group of the plan the means over its repeats.
std::string summary_table(const Store& store, std::span<const PlanEntry> plan, size_t width);

}  // namespace maskbench
