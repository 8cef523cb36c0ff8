#pragma once

#include <string>
#include <vector>

namespace maskbench {

// One number a run reports: a line of results.csv.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit = {};
  int round = -1;             // -1: of the whole run
  std::string status = "ok";  // ok | skip | error
  std::string reason = {};    // why it was skipped or failed
};

// What a run turned out to be made of, beside its spec; stands in every one of its rows.
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
