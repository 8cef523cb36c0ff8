#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/sweep/rows.hpp"

namespace maskbench {

// How a run that has a file ended.
struct RunState {
  bool ok = false;
  double seconds = 0;  // of a run that is ok
  std::string reason;  // of one that failed
  std::string commit;  // of the program that did it
};

// The file of one run: its line of runs.csv and its lines of results.csv, each under a header, and
// a seal, the line "#sealed RUN NUMBERS SHA256" whose sum goes over all before it. A file that is
// cut, changed, or another run's does not count as one.
std::string run_file_text(const std::string& run, const RunRecord& record);

struct RunFile {
  std::optional<RunState> state = {};  // nothing if the file does not count
  std::string damage = {};             // then: why
  CsvRow run = {};                     // of a file that counts: its line of runs.csv
  std::string_view numbers = {};       // and its lines of results.csv, in the text that was given
};
RunFile check_run_file(const std::string& run, std::string_view text);

}  // namespace maskbench
