#pragma once

#include <string>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/sweep/results_csv.hpp"

namespace maskbench {

// The columns of a table and where each stands.
class Columns {
 public:
  explicit Columns(std::vector<std::string> names);
  const std::vector<std::string>& names() const { return names_; }
  size_t count() const { return names_.size(); }
  size_t at(std::string_view name) const;  // its index
  // Of a row that has all of them.
  std::string& cell(CsvRow& row, std::string_view name) const { return row[at(name)]; }
  const std::string& cell(const CsvRow& row, std::string_view name) const { return row[at(name)]; }
  const std::string& header() const { return header_; }  // as the first line of a file

 private:
  std::vector<std::string> names_;
  std::string header_;
};

// runs.csv: a line for each run of each config. A cell whose key the method does not use is empty.
const Columns& run_columns();
// results.csv: a line for each number of a run.
const Columns& number_columns();

// The column of runs.csv that shows this key of a config; empty: none does as it stands.
std::string column_of_key(const std::string& key);

// All that a run leaves: its line of runs.csv and its lines of results.csv.
struct RunRecord {
  CsvRow run;
  std::vector<CsvRow> numbers;
};

// Of a finished run. Its first number is always run_seconds.
RunRecord run_record(const RunSpec& spec, const std::string& id, const RunResult& result,
                     double seconds, const Machine& machine);

// Of a run that failed: no numbers, status error, the reason.
RunRecord error_record(const RunSpec& spec, const std::string& id, const std::string& reason,
                       const Machine& machine);

}  // namespace maskbench
