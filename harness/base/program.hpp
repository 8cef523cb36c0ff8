#pragma once

#include <string>

namespace maskbench {

// Where a file that belongs to the program lies: beside it in a build tree, else at `installed`
// below the prefix that the program's own bin/ is in.
std::string file_of_program(const std::string& in_build, const std::string& installed);

}  // namespace maskbench
