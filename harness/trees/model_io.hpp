#pragma once

#include <string>

#include "harness/trees/tree.hpp"

namespace maskbench {

// A model is two JSON files in a directory: ap.json holds the trees' shapes, the leaf weights and
// AP's own thresholds; pp.json holds PP's thresholds alone. Numbers survive the round trip exactly.
void save_model(const Model& model, const std::string& directory);
Model load_model(const std::string& directory);

}  // namespace maskbench
