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

// Keys with a column of a shorter name. The others have one of their own dotted name.
const std::map<std::string, std::string> kShortNames = {{"data.dataset", "dataset"},
                                                        {"method", "method"},
                                                        {"mode", "mode"},
                                                        {"backend", "backend"},
                                                        {"privacy.eps_ap", "eps_ap"},
                                                        {"privacy.delta_ap", "delta_ap"},
                                                        {"privacy.eps_pp", "eps_pp"},
                                                        {"privacy.delta_pp", "delta_pp"},
                                                        {"privacy.reading", "reading"},
                                                        {"privacy.scope", "scope"},
                                                        {"privacy.unit", "privacy_unit"},
                                                        {"privacy.composition", "composition"},
                                                        {"privacy.mu", "mu"},
                                                        {"privacy.W", "W"},
                                                        {"attack.name", "attack"},
                                                        {"seed", "seed"}};

std::vector<std::string> run_column_names() {
  std::vector<std::string> names = {
      "run",     "config",  "repeat",         "dataset",     "source",    "method",
      "mode",    "backend", "eps_ap",         "delta_ap",    "eps_pp",    "delta_pp",
      "reading", "scope",   "privacy_unit",   "composition", "mu",        "W",
      "attack",  "seed",    "seed_partition", "seed_split",  "seed_noise"};
  for (const auto& key : schema()) {
    const std::string column = column_of_key(key.name);
    if (column == key.name && !kShortNames.contains(key.name)) names.push_back(column);
  }
  for (const char* name :
       {"noise_source", "sha256", "commit", "cpu", "threads", "compiler", "status", "reason"})
    names.emplace_back(name);
  return names;
}

CsvRow run_row(const RunSpec& spec, const std::string& id, const Provenance& provenance,
               const Machine& machine) {
  const Columns& columns = run_columns();
  CsvRow row(columns.count());
  const auto set = [&](const char* name, std::string text) {
    columns.cell(row, name) = std::move(text);
  };
  for (const auto& key : schema()) {
    const std::string column = column_of_key(key.name);
    if (!column.empty() && method_uses(spec.method, key.name))
      columns.cell(row, column) = key.get(spec);
  }
  set("seed_partition", fmt::format("{}", spec.partition_seed()));
  set("seed_split", fmt::format("{}", spec.split_seed()));
  set("seed_noise", fmt::format("{}", spec.noise_seed()));
  set("run", id);
  set("config", spec.name);
  set("repeat", fmt::format("{}", spec.repeat));
  set("source", provenance.source);
  if (!provenance.backend.empty()) set("backend", provenance.backend);
  set("noise_source", provenance.noise_source);
  set("sha256", provenance.sha256);
  set("commit", machine.commit);
  set("cpu", machine.cpu);
  set("threads", fmt::format("{}", machine.threads));
  set("compiler", machine.compiler);
  set("status", "ok");
  return row;
}

// A number that is none is no result, whoever computed it.
Metric sound(Metric metric) {
  if (metric.status != "ok" || !std::isnan(metric.value)) return metric;
  metric.status = "skip";
  metric.reason = "not defined for this data";
  return metric;
}

CsvRow number_row(const std::string& id, const Metric& given) {
  const Metric metric = sound(given);
  const Columns& columns = number_columns();
  CsvRow row(columns.count());
  const auto set = [&](const char* name, std::string_view text) { columns.cell(row, name) = text; };
  set("run", id);
  if (metric.round >= 0) set("round", fmt::format("{}", metric.round));
  set("metric", metric.name);
  if (metric.of.party) set("party", name_of(*metric.of.party));
  set("kind", metric.of.kind);
  set("view", metric.of.view);
  if (metric.of.queries > 0) set("queries", fmt::format("{}", metric.of.queries));
  if (const auto& reading = metric.of.reading) {
    set("scope", name_of(reading->scope));
    set("privacy_unit", name_of(reading->unit));
    set("composition", name_of(reading->composition));
    set("mu", name_of(reading->mu));
    set("theorem3", name_of(reading->theorem3));
  }
  if (metric.of.delta) set("delta", fmt::format("{}", *metric.of.delta));
  if (metric.status == "ok") set("value", fmt::format("{}", metric.value));
  set("unit", metric.unit);
  set("status", metric.status);
  set("reason", metric.reason);
  return row;
}

}  // namespace

Columns::Columns(std::vector<std::string> names) : names_(std::move(names)) {
  append_csv(header_, names_);
}

size_t Columns::at(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::logic_error(fmt::format("no column {}", name));
  return static_cast<size_t>(found - names_.begin());
}

std::string column_of_key(const std::string& key) {
  if (key == "repeats" || key.starts_with("seeds."))
    return "";  // repeat, seed_* say what came of it
  const auto found = kShortNames.find(key);
  return found == kShortNames.end() ? key : found->second;
}

const Columns& run_columns() {
  static const Columns columns(run_column_names());
  return columns;
}

const Columns& number_columns() {
  static const Columns columns({"run", "round", "metric", "party", "kind", "view", "queries",
                                "scope", "privacy_unit", "composition", "mu", "theorem3", "delta",
                                "value", "unit", "status", "reason"});
  return columns;
}

RunRecord run_record(const RunSpec& spec, const std::string& id, const RunResult& result,
                     double seconds, const Machine& machine) {
  RunRecord record{run_row(spec, id, result.provenance, machine), {}};
  record.numbers.push_back(number_row(id, {"run_seconds", seconds, "s"}));
  for (const auto& metric : result.metrics) record.numbers.push_back(number_row(id, metric));
  return record;
}

RunRecord error_record(const RunSpec& spec, const std::string& id, const std::string& reason,
                       const Machine& machine) {
  RunRecord record{run_row(spec, id, {}, machine), {}};
  run_columns().cell(record.run, "status") = "error";
  run_columns().cell(record.run, "reason") = reason;
  return record;
}

}  // namespace maskbench
