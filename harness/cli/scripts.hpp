#pragma once

#include <string>
#include <vector>

#include "harness/base/program.hpp"

namespace CLI {
class App;
}

namespace maskbench {

// The Python and the scripts that a command calls.
struct Scripts {
  std::string python = "/usr/bin/python3";  // Debian's, which has Debian's matplotlib
  std::string folder = file_of_program("scripts", "share/maskbench/scripts");

  void add_to(CLI::App& command);
  // Runs one of them with these words; it tells its errors itself, in one line. Throws Error, or
  // CLI::RuntimeError with its exit code.
  void run(const char* name, std::vector<std::string> words) const;
};

}  // namespace maskbench
