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
// Is the data set named by a file?
bool is_data_path(const std::string& dataset);
std::vector<std::string> places_of(const std::string& dataset, const std::string& data_dir);
// Its file; empty: there is none.
std::string find_data_file(const std::string& dataset, const std::string& data_dir);

// The file that will be read; empty if there is none or the data is to be synthetic.
std::string file_for(const DataSpec& spec, const std::string& data_dir);
bool needs_file(const DataSpec& spec);

// Of synthetic data; nullopt if the spec does not say enough.
std::optional<SyntheticShape> shape_for(const DataSpec& spec);

}  // namespace maskbench
