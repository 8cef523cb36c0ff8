#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/spec.hpp"
#include "harness/data/synthetic.hpp"

namespace maskbench {

// Where the data of a spec is to be found, without reading it.

// "dir/adult.csv.gz" is "adult"; empty if the name has neither ending.
std::string stem_of(const std::string& path);
bool is_path(const std::string& dataset);
std::vector<std::string> places_of(const std::string& dataset, const std::string& data_dir);
std::string first_file(const std::vector<std::string>& places);

// The file that will be read; empty if there is none or the data is to be synthetic.
std::string file_for(const DataSpec& spec, const std::string& data_dir);
bool needs_file(const DataSpec& spec);

// Of synthetic data; nullopt if the spec does not say enough.
std::optional<SyntheticShape> shape_for(const DataSpec& spec);

}  // namespace maskbench
