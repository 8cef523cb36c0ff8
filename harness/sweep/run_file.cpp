#include "harness/sweep/run_file.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"

namespace maskbench {
namespace {

constexpr std::string_view kSeal = "#sealed ";

std::string seal_of(const std::string& run, size_t numbers, std::string_view before) {
  return fmt::format("{}{} {} {}\n", kSeal, run, numbers, sha256_of_text(before));
}

void check_row(const Columns& columns, const CsvRow& row, const std::string& run, size_t number) {
  if (row.size() != columns.count()) throw Error(fmt::format("row {} has other columns", number));
  const std::string& held = columns.cell(row, "run");
  if (held != run) throw Error(fmt::format("it holds the run {}", held.substr(0, 40)));
}

void check_header(std::string_view& text, const Columns& columns) {
  const std::string& header = columns.header();
  if (!text.starts_with(header)) throw Error("it does not begin as this version's files do");
  text.remove_prefix(header.size());
}

// Of a file without its seal. Gives how many numbers there are.
size_t read_rows(const std::string& run, std::string_view text, RunFile& out) {
  check_header(text, run_columns());
  CsvReader runs(text);
  if (!runs.next(out.run)) throw Error("it has no rows");
  check_row(run_columns(), out.run, run, 1);
  out.numbers = runs.rest();
  check_header(out.numbers, number_columns());
  RunState state;
  state.ok = run_columns().cell(out.run, "status") == "ok";
  state.reason = run_columns().cell(out.run, "reason");
  state.commit = run_columns().cell(out.run, "commit");
  CsvReader reader(out.numbers);
  size_t count = 0;
  for (CsvRow row; reader.next(row); ++count) {
    check_row(number_columns(), row, run, count + 2);
    if (count == 0) state.seconds = std::atof(number_columns().cell(row, "value").c_str());
  }
  if (state.ok != (count > 0)) throw Error("its numbers do not go with its status");
  out.state = state;
  return count;
}

}  // namespace

std::string run_file_text(const std::string& run, const RunRecord& record) {
  std::string out = run_columns().header();
  append_csv(out, record.run);
  out += number_columns().header();
  for (const auto& row : record.numbers) append_csv(out, row);
  return out + seal_of(run, record.numbers.size(), out);
}

RunFile check_run_file(const std::string& run, std::string_view text) {
  const size_t line = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
  const std::string_view before = text.substr(0, line), seal = text.substr(line);
  try {
    std::string_view rest = text;
    check_header(rest, run_columns());
    if (!seal.starts_with(kSeal) || !seal.ends_with('\n')) throw Error("its end is missing");
    RunFile file;
    const size_t count = read_rows(run, before, file);
    if (seal != seal_of(run, count, before)) throw Error("its content does not match its checksum");
    return file;
  } catch (const Error& damage) {
    return {.damage = damage.what()};
  }
}

}  // namespace maskbench
