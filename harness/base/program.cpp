#include "harness/base/program.hpp"

#include <filesystem>

namespace maskbench {

std::string file_of_program(const std::string& in_build, const std::string& installed) {
  namespace fs = std::filesystem;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path beside = here / in_build;
  return fs::exists(beside) ? beside.string() : (here.parent_path() / installed).string();
}

}  // namespace maskbench
