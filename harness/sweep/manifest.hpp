#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/config/config.hpp"
#include "harness/sweep/planned_data.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {

// What a result directory was made from: DIR/manifest.json.
struct Manifest {
  std::string commit;
  std::string data_dir;  // absolute, or empty
  std::string command;
  std::vector<PlanEntry> plan;
  PlannedData data;

  std::string plan_hash() const;  // changes with the set of runs, not with comments in the config
};

std::vector<PlanEntry> plan_entries(const std::vector<Job>& jobs);

// A manifest that is cut, changed or none at all.
struct DamagedManifest : Error {
  using Error::Error;
};

// Its text and back. `whole`: its checksum is right. Throws Error if it is no manifest at all.
struct ParsedManifest {
  Manifest manifest;
  bool whole = false;
};
std::string manifest_text(const Manifest& manifest);
ParsedManifest parse_manifest(const std::string& text);

// nullopt: there is none. Throws DamagedManifest.
std::optional<Manifest> read_manifest(const std::string& dir);
void write_manifest(const Store& store, const Manifest& manifest);

// "another commit (a, now b) and another config (3 of its 8 runs are common)" and the like, or
// nothing.
std::string difference(const Manifest& old, const Manifest& now);

}  // namespace maskbench
