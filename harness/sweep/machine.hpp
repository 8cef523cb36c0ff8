#pragma once

#include <string>

namespace maskbench {

// Where and with what a result was made.
struct Machine {
  std::string commit;
  std::string cpu;
  int threads = 1;
  std::string compiler;
};

Machine this_machine(int threads);
int usable_processors();  // that this process may run on

const char* version();  // of the project
// The newest commit that touched the code this was built from, "-dirty" if changed since; or
// "unknown".
const char* git_commit();
std::string host_name();
std::string command_line();  // of this process
std::string utc_now();       // 20250131-235959

}  // namespace maskbench
