#pragma once

#include <set>
#include <string>

#include "harness/base/spec.hpp"

namespace maskbench {

// Fills in what the preset privacy.reading means for the run's method (docs/privacy.md 5), except
// for the keys that were given. If a given one departs from the preset, the reading becomes
// "custom(scope=tree,unit=record,...)".
void resolve_reading(RunSpec& spec, const std::set<std::string>& given);

}  // namespace maskbench
