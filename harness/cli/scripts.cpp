#include "harness/cli/scripts.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>

#include "harness/base/error.hpp"

namespace maskbench {

void Scripts::add_to(CLI::App& command) {
  command.add_option("--python", python, "a Python 3 with matplotlib and scipy")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_option("--scripts", folder, "where maskbench's scripts are")
      ->envname("MASKBENCH_SCRIPTS")
      ->capture_default_str()
      ->type_name("DIR");
}

void Scripts::run(const char* name, std::vector<std::string> words) const {
  const std::string path = folder + "/" + name;
  if (!std::filesystem::exists(path))
    throw Error(path + ": no such file; name the folder of maskbench's scripts by --scripts");
  words.insert(words.begin(), {python, path});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0)
    throw Error(
        fmt::format("cannot start {}: {}; apt-get install python3 python3-matplotlib, or "
                    "name another by --python",
                    python, std::strerror(error)));
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) throw CLI::RuntimeError(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace maskbench
