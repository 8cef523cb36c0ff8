#pragma once

#include <string>
#include <vector>

#include "harness/config/config.hpp"
#include "harness/config/yaml.hpp"
#include "harness/data/data_content.hpp"

namespace maskbench {

// The cartesian product of the axes, the first one slowest, then the variants, repeats fastest.
// Keys that a method does not use are reset to their defaults, and runs that become equal by that
// are kept once.
std::vector<Job> expand(const ConfigFile& file, DataContents& contents);

// How many that is before equal runs are merged; it may be too many to expand.
double combinations(const ConfigFile& file);

// Sorted key=value lines of all that decides the result, what the data is among them: not the
// config's name, nor which repeat of how many a run is (its seed says so).
std::string canonical_text(const RunSpec& spec);
std::string run_id(const RunSpec& spec);  // 16 hex digits of its sha256

}  // namespace maskbench
