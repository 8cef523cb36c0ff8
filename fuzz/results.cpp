#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/sweep/manifest.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/run_file.hpp"

namespace maskbench::fuzz {

// As it came it must not count unless it is what we would write; sealed by us, it must be as given.
void results(std::string_view bytes) {
  const RunFile given = check_run_file("r1", bytes);
  must(given.state.has_value() == given.damage.empty());
  CsvReader reader(bytes);
  RunRecord record;
  reader.next(record.run);
  const bool ok = record.run.size() == run_columns().count() &&
                  run_columns().cell(record.run, "status") == "ok";
  bool whole = record.run.size() == run_columns().count() && record.run[0] == "r1";
  for (CsvRow row; reader.next(row) && record.numbers.size() < 100;) {
    whole &= row.size() == number_columns().count() && number_columns().cell(row, "run") == "r1";
    record.numbers.push_back(std::move(row));
  }
  const std::string text = run_file_text("r1", record);
  const RunFile sealed = check_run_file("r1", text);
  must(sealed.state.has_value() == (whole && ok == !record.numbers.empty()));
  if (!sealed.state) return;
  must(sealed.run == record.run);
  CsvReader again(sealed.numbers);
  for (const CsvRow& row : record.numbers) {
    CsvRow read;
    must(again.next(read) && read == row);
  }
}

void manifest(std::string_view bytes) {
  try {
    const ParsedManifest read = parse_manifest(std::string(bytes));
    for (const PlanEntry& entry : read.manifest.plan)
      must(is_plain_name(entry.run) && is_plain_name(entry.config) && entry.repeat >= 0);
    const ParsedManifest again = parse_manifest(manifest_text(read.manifest));
    must(again.whole && again.manifest.plan_hash() == read.manifest.plan_hash());
    must(difference(read.manifest, again.manifest).empty());
  } catch (const Error& error) {
    must(std::string_view(error.what()).find("json.exception") == std::string_view::npos);
  }
}

}  // namespace maskbench::fuzz
