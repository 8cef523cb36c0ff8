#pragma once

#include <string>
#include <vector>

#include "harness/base/spec.hpp"

namespace maskbench {

// What a run's data turned out to be; all 0: nobody has looked.
struct DataShape {
  size_t rows = 0;           // to train and to test
  size_t features = 0;       // of both parties
  size_t pp_candidates = 0;  // splits that PP could offer
};

// One run of a config: complete, named by the hash of everything that decides its result.
struct Job {
  RunSpec spec;  // with what its data is now
  std::string id;
  std::string group;  // for people: method, dataset and what the axes vary; the same over repeats
  DataShape shape = {};  // by check_plan; of another repeat of the same
};

// A config that asks for more is likely a mistake: refused before it is expanded.
inline constexpr size_t kMostRuns = 100'000;

struct ConfigOptions {
  std::vector<std::string> overrides;  // key=value, key=[axis]
  bool small = false;                  // apply the section `small`
  std::string data_dir = {};           // where the data lies; empty: nowhere
  size_t most_runs = kMostRuns;        // of all configs together
};

struct Plan {
  std::string name;
  std::vector<Job> jobs;  // in the order of the axes; ids are unique within a config only
};

Plan load_plan(const std::string& path, const ConfigOptions& options);

}  // namespace maskbench
