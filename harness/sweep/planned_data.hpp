#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/config/config.hpp"

namespace maskbench {

// What the data sets of a plan's configs were when it was made: "file SHA256", "synthetic", "none".
using ConfigAndDataset = std::pair<std::string, std::string>;
using PlannedData = std::map<ConfigAndDataset, std::set<std::string>>;

PlannedData planned_data(const std::vector<Job>& jobs);
nlohmann::json as_json(const PlannedData& data);
PlannedData planned_data_of(const nlohmann::json& list);

// Of what both have: "adult: file 1a2b3c4d, now synthetic" if `between` is ", now "; or nothing.
std::string changed_data(const PlannedData& old, const PlannedData& now, const char* between);

}  // namespace maskbench
