#include "harness/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "harness/config/schema.hpp"
#include "harness/judge/catalog.hpp"

namespace maskbench {
namespace {

// Columns that show a key of the spec as it stands.
const std::map<std::string, std::string> kKeyColumns = {{"dataset", "data.dataset"},
                                                        {"method", "method"},
                                                        {"mode", "mode"},
                                                        {"backend", "backend"},
                                                        {"eps_ap", "privacy.eps_ap"},
                                                        {"delta_ap", "privacy.delta_ap"},
                                                        {"eps_pp", "privacy.eps_pp"},
                                                        {"delta_pp", "privacy.delta_pp"},
                                                        {"reading", "privacy.reading"},
                                                        {"scope", "privacy.scope"},
                                                        {"privacy_unit", "privacy.unit"},
                                                        {"composition", "privacy.composition"},
                                                        {"mu", "privacy.mu"},
                                                        {"W", "privacy.W"},
                                                        {"attack", "attack.name"},
                                                        {"seed", "seed"}};

bool has_column(const std::string& key) {
  return std::any_of(kKeyColumns.begin(), kKeyColumns.end(),
                     [&](const auto& entry) { return entry.second == key; }) ||
         key.starts_with("seeds.");
}

std::string other_params(const RunSpec& spec) {
  std::string out;
  for (const auto& key : schema()) {
    if (has_column(key.name) || key.name == "repeats" || !method_uses(spec.method, key.name))
      continue;
    const std::string text = key.get(spec);
    if (text == default_text(key)) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ";", key.name, text);
  }
  return out;
}

// What all rows of a run have in common.
CsvRow common_row(const RunSpec& spec, const std::string& id, const Provenance& provenance,
                  const Machine& machine) {
  CsvRow row(columns().size());
  for (const auto& [name, key] : kKeyColumns) {
    if (method_uses(spec.method, key)) row[column(name)] = find_key(key)->get(spec);
  }
  row[column("seed_partition")] = fmt::format("{}", spec.partition_seed());
  row[column("seed_split")] = fmt::format("{}", spec.split_seed());
  row[column("seed_noise")] = fmt::format("{}", spec.noise_seed());
  row[column("run")] = id;
  row[column("config")] = spec.name;
  row[column("repeat")] = fmt::format("{}", spec.repeat);
  row[column("source")] = provenance.source;
  if (!provenance.backend.empty()) row[column("backend")] = provenance.backend;
  row[column("noise_source")] = provenance.noise_source;
  row[column("sha256")] = provenance.sha256;
  row[column("commit")] = machine.commit;
  row[column("cpu")] = machine.cpu;
  row[column("threads")] = fmt::format("{}", machine.threads);
  row[column("compiler")] = machine.compiler;
  row[column("params")] = other_params(spec);
  return row;
}

// A number that is none is no result, whoever computed it.
Metric sound(Metric metric) {
  if (metric.status != "ok" || !std::isnan(metric.value)) return metric;
  return {metric.name, 0, metric.unit, metric.round, "skip", "not defined for this data"};
}

CsvRow metric_row(CsvRow row, const Metric& given) {
  const Metric metric = sound(given);
  if (metric.round >= 0) row[column("round")] = fmt::format("{}", metric.round);
  row[column("metric")] = metric.name;
  if (metric.status == "ok") row[column("value")] = fmt::format("{}", metric.value);
  row[column("unit")] = metric.unit;
  row[column("status")] = metric.status;
  row[column("reason")] = metric.reason;
  return row;
}

}  // namespace

const std::vector<std::string>& columns() {
  static const std::vector<std::string> list = {
      "run",     "config",         "dataset",     "source",     "method",   "mode",
      "backend", "eps_ap",         "delta_ap",    "eps_pp",     "delta_pp", "reading",
      "scope",   "privacy_unit",   "composition", "mu",         "W",        "attack",
      "seed",    "seed_partition", "seed_split",  "seed_noise", "repeat",   "round",
      "metric",  "value",          "unit",        "status",     "reason",   "noise_source",
      "sha256",  "commit",         "cpu",         "threads",    "compiler", "params"};
  return list;
}

size_t column(const std::string& name) {
  const auto found = std::find(columns().begin(), columns().end(), name);
  if (found == columns().end()) throw std::logic_error("no column " + name);
  return static_cast<size_t>(found - columns().begin());
}

std::string header_line() {
  std::string out;
  append_csv(out, columns());
  return out;
}

std::vector<CsvRow> result_rows(const RunSpec& spec, const std::string& id, const RunResult& result,
                                double seconds, const Machine& machine) {
  const CsvRow common = common_row(spec, id, result.provenance, machine);
  std::vector<CsvRow> rows;
  rows.push_back(metric_row(common, {"run_seconds", seconds, "s", -1, "ok", ""}));
  for (const auto& metric : result.metrics) rows.push_back(metric_row(common, metric));
  return rows;
}

CsvRow error_row(const RunSpec& spec, const std::string& id, const std::string& reason,
                 const Machine& machine) {
  CsvRow row = common_row(spec, id, {}, machine);
  row[column("status")] = "error";
  row[column("reason")] = reason;
  return row;
}

}  // namespace maskbench
