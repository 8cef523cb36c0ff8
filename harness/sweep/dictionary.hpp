#pragma once

#include <string>
#include <vector>

#include "harness/base/metric.hpp"

namespace maskbench {

// The data dictionary: what every column and every metric of a results folder means. `maskbench
// show
// --metrics` prints it, docs/results.md is made from it.
struct ColumnEntry {
  std::string table;  // the file it lies in
  std::string name;
  std::string meaning;
  std::string unit;
  std::string from;  // who computes it
};

struct MetricEntry {
  std::string name;
  std::string unit;
  std::vector<std::string> by;  // the columns beside `run` and `round` that say what it is about
  std::string each;             // run | round | run and round: what it is given for
  std::string from;             // who computes it
  std::string meaning;
};

const std::vector<ColumnEntry>& column_entries();
const std::vector<MetricEntry>& metric_entries();

// What of the metric is not as the dictionary has it, in words; or nothing.
std::string undocumented(const Metric& metric);

}  // namespace maskbench
