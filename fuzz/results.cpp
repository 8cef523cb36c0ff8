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
  std::vector<CsvRow> rows;
  bool whole = true;
  for (CsvRow row; reader.next(row) && rows.size() < 100;) {
    whole &= row.size() == columns().size() && row[column("run")] == "r1";
    rows.push_back(std::move(row));
  }
  const std::string text = run_file_text("r1", rows);
  const RunFile sealed = check_run_file("r1", text);
  must(sealed.state.has_value() == (whole && !rows.empty()));
  if (!sealed.state) return;
  CsvReader again(sealed.body);
  for (const CsvRow& row : rows) {
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
