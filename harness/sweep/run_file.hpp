#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/sweep/results_csv.hpp"

namespace maskbench {

// How a run that has a file ended.
struct RunState {
  bool ok = false;
  double seconds = 0;  // of a run that is ok
  std::string reason;  // of one that failed
  std::string commit;  // of the program that did it
};

// The file of one run: a header, the rows, and a seal, the line "#sealed RUN ROWS SHA256" whose sum
// goes over all before it. A file that is cut, changed, or another run's does not count as one.
std::string run_file_text(const std::string& run, std::span<const CsvRow> rows);

struct RunFile {
  std::optional<RunState> state;  // nothing if the file does not count
  std::string damage;             // then: why
  std::string_view body;          // of a file that counts: its rows, in the text that was given
};
RunFile check_run_file(const std::string& run, std::string_view text);

}  // namespace maskbench
