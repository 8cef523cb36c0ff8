#pragma once

#include <string>
#include <vector>

#include "harness/config/config.hpp"

namespace CLI {
class App;
}

namespace maskbench {

// The arguments of every command that takes a config.
struct ConfigArgs {
  std::string path;
  std::vector<std::string> overrides;
  std::string scale = "full";
  std::string data_dir;
  size_t most_runs = kMostRuns;

  void add_to(CLI::App& command);

  // Loads and expands; a dataset that is neither ours nor a file is an error.
  Plan load() const;
};

void add_data_dir(CLI::App& command, std::string& data_dir);

}  // namespace maskbench
