#pragma once

#include <string>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/sweep/results_csv.hpp"

namespace maskbench {

// The columns of results.csv. A cell whose key the method does not use is empty.
const std::vector<std::string>& columns();
size_t column(const std::string& name);  // its index
std::string header_line();               // they as the first line of a file

// The rows of a finished run. The first is always the metric run_seconds.
std::vector<CsvRow> result_rows(const RunSpec& spec, const std::string& id, const RunResult& result,
                                double seconds, const Machine& machine);

// The one row of a run that failed: no metric, status error, the reason.
CsvRow error_row(const RunSpec& spec, const std::string& id, const std::string& reason,
                 const Machine& machine);

}  // namespace maskbench
