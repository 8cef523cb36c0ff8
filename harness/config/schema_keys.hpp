#pragma once

#include <vector>

#include "harness/config/schema.hpp"

namespace maskbench {

// The table itself: every key of a RunSpec with its help and its range.
std::vector<Key> schema_keys();

}  // namespace maskbench
