#include "harness/party/output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/folder.hpp"
#include "harness/config/expand.hpp"
#include "harness/judge/run_metrics.hpp"
#include "harness/party/ledger_io.hpp"
#include "harness/privacy/run_budget.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/store.hpp"
#include "harness/trees/model_io.hpp"

namespace maskbench {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void write(const std::string& dir, const std::string& name, const std::string& content) {
  Folder::made(dir).write(name, "." + name + ".tmp", content);
}

std::string csv_of(const Columns& columns, const std::vector<CsvRow>& rows) {
  std::string text = columns.header();
  for (const CsvRow& row : rows) append_csv(text, row);
  return text;
}

}  // namespace

std::vector<Metric> privacy_metrics_of(const PartyJob& job, size_t train_rows,
                                       const privacy::Ledger& ledger) {
  const privacy::Ledger nobody(job.spec.privacy.unit);
  const bool is_ap = job.role == Party::ap;
  const std::vector<Metric> all =
      privacy_metrics({job.spec.privacy.as_read(), budget_of(job.spec.privacy, train_rows),
                       is_ap ? ledger : nobody, is_ap ? nobody : ledger});
  std::vector<Metric> own;
  for (const Metric& metric : all) {
    if (metric.of.party == job.role) own.push_back(metric);
  }
  return own;
}

bool has_output(const std::string& dir) {
  return fs::exists(dir + "/party.json");
}

void expect_output_of(const PartyJob& job) {
  const Json party = Json::parse(read_file(job.out + "/party.json"), nullptr, false);
  const auto is = [&](const char* key, std::string_view text) {
    return party.is_object() && party.contains(key) && party[key] == text;
  };
  if (!is("keys", canonical_text(job.spec)) || !is("role", name_of(job.role)))
    throw Error(job.out + ": holds a finished training of another config; take another --out");
}

void write_output(const PartyJob& job, const PartyOutput& output) {
  fs::create_directories(job.out);
  const Machine machine = this_machine(job.threads);
  const std::string id = run_id(job.spec);
  save_model_part(output.model, job.role, job.out + "/model");
  write(job.out, "ledger.json",
        Json{{"training", ledger_json(output.training)},
             {"before_and_after", ledger_json(output.setup)}}
                .dump(1) +
            "\n");
  const RunRecord record = run_record(job.spec, id, output.result, output.seconds, machine);
  write(job.out, Store::kRuns, csv_of(run_columns(), {record.run}));
  write(job.out, Store::kNumbers, csv_of(number_columns(), record.numbers));
  // Last: its being there says that all is.
  write(job.out, "party.json",
        Json{{"format", "maskbench-party-1"},
             {"role", name_of(job.role)},
             {"run", id},
             {"config", job.spec.name},
             {"group", job.group},
             {"repeat", job.spec.repeat},
             {"keys", canonical_text(job.spec)},
             {"commit", machine.commit},
             {"data_sha256", output.result.provenance.sha256},
             {"command", command_line()}}
                .dump(1) +
            "\n");
}

}  // namespace maskbench
