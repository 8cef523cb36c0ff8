#pragma once

#include <string>

#include "harness/config/config.hpp"

namespace maskbench {

// Reads every data file of the plan once, as its runs will, so that a file that cannot serve is
// said before the first run instead of by each of them. Throws Error.
void check_data_files(const Plan& plan, const std::string& data_dir, int threads);

}  // namespace maskbench
