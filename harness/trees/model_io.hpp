#pragma once

#include <string>

#include "harness/trees/tree.hpp"

namespace maskbench {

// A model is two JSON files in a directory: ap.json holds the trees' shapes, the leaf weights and
// AP's own thresholds; pp.json holds PP's thresholds alone. Numbers survive the round trip exactly.
void save_model(const Model& model, const std::string& directory);
Model load_model(const std::string& directory);
// From the content of the two files.
Model parse_model(std::string ap_json, std::string pp_json);

// One party's file alone. The other's rules and features are empty, and AP's trees may ask for
// rules of PP that are not there.
void save_model_part(const Model& model, Party party, const std::string& directory);
Model load_model_part(const std::string& directory, Party party);

}  // namespace maskbench
