#pragma once

#include <string>
#include <vector>

#include "harness/config/config.hpp"

namespace maskbench {

// What can be said before the first run instead of by each of them. Reads every data file of the
// plan once, as its runs will, and asks the methods whether the budgets can be met on data of that
// shape. Throws Error if a file cannot serve or if no run of a config's method can meet its budget;
// gives a line for each method of which only some runs cannot. Notes the shape of what it has seen
// in the plan.
std::vector<std::string> check_plan(Plan& plan, const std::string& data_dir, int threads);

}  // namespace maskbench
