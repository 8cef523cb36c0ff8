#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/base/reading.hpp"

namespace maskbench {

// What a number speaks of beside its run, each a column of results.csv. Which of them a metric has
// is the same wherever it occurs: harness/sweep/dictionary.cpp lists it.
struct Subject {
  std::optional<Party> party = {};
  std::string kind = {};                         // of message
  std::string view = {};                         // what the reader of the messages has
  std::optional<privacy::Reading> reading = {};  // of an eps
  std::optional<double> delta = {};              // that an eps holds with
  int queries = 0;                               // 0: not about queries
};

// One number a run reports: a line of results.csv.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit = {};
  int round = -1;             // -1: of the whole run
  std::string status = "ok";  // ok | skip | error
  std::string reason = {};    // why it was skipped or failed
  Subject of = {};
};

// What a run turned out to be made of, beside its spec.
struct Provenance {
  std::string source;        // file | synthetic
  std::string sha256;        // of the data file or of the generator's parameters
  std::string backend;       // what really computed
  std::string noise_source;  // none | off | seed | os, and what draws with its key
};

struct RunResult {
  Provenance provenance;
  std::vector<Metric> metrics;
};

}  // namespace maskbench
