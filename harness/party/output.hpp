#pragma once

#include <string>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/party/run.hpp"
#include "harness/privacy/ledger.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

// What a party leaves in its folder: party.json, model/, runs.csv, results.csv,
// ledger.json.
struct PartyOutput {
  Model model;  // this party's part
  RunResult result;
  double seconds = 0;
  privacy::Ledger training;
  privacy::Ledger setup;  // of what was said before and after the training
};
void write_output(const PartyJob& job, const PartyOutput& output);

// The metrics that speak of this party's messages.
std::vector<Metric> privacy_metrics_of(const PartyJob& job, size_t train_rows,
                                       const privacy::Ledger& ledger);

// Is there a finished training?
bool has_output(const std::string& dir);
// Throws unless it is of this job.
void expect_output_of(const PartyJob& job);

// The folders of AP and PP, in either order, as one result directory.
bool is_party_folder(const std::string& dir);
void merge_parties(const std::string& one, const std::string& two, const std::string& out,
                   bool force);

}  // namespace maskbench
