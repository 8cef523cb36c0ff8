#include "harness/sweep/run_file.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/base/sha256.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

constexpr std::string_view kSeal = "#sealed ";

std::string seal_of(const std::string& run, size_t rows, std::string_view before) {
  return fmt::format("{}{} {} {}\n", kSeal, run, rows, sha256_of_text(before));
}

// What is wrong with the rows, or nothing; `state` follows from the first.
std::string check_rows(const std::string& run, std::string_view body, size_t& count,
                       RunState& state) {
  CsvReader reader(body);
  CsvRow row;
  for (count = 0; reader.next(row); ++count) {
    if (row.size() != columns().size()) return fmt::format("row {} has other columns", count + 1);
    if (row[column("run")] != run)
      return fmt::format("it holds the run {}", row[column("run")].substr(0, 40));
    if (count > 0) continue;
    state.ok = !row[column("metric")].empty();
    state.reason = row[column("reason")];
    state.seconds = std::atof(row[column("value")].c_str());
    state.commit = row[column("commit")];
  }
  return count == 0 ? "it has no rows" : "";
}

}  // namespace

std::string run_file_text(const std::string& run, std::span<const CsvRow> rows) {
  std::string out = header_line();
  for (const auto& row : rows) append_csv(out, row);
  return out + seal_of(run, rows.size(), out);
}

RunFile check_run_file(const std::string& run, std::string_view text) {
  static const std::string first = header_line();
  const auto damaged = [](std::string why) { return RunFile{std::nullopt, std::move(why), {}}; };
  if (!text.starts_with(first)) return damaged("it does not begin as this version's files do");
  const size_t line = text.rfind('\n', text.size() - 2) + 1;
  const std::string_view seal = text.substr(line);
  if (!seal.starts_with(kSeal) || !seal.ends_with('\n')) return damaged("its end is missing");
  const std::string_view body = text.substr(first.size(), line - first.size());
  RunState state;
  size_t count = 0;
  const std::string wrong = check_rows(run, body, count, state);
  if (!wrong.empty()) return damaged(wrong);
  if (seal != seal_of(run, count, text.substr(0, line)))
    return damaged("its content does not match its checksum");
  return {state, "", body};
}

}  // namespace maskbench
