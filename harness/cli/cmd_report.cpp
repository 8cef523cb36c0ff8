#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <memory>

#include "harness/base/error.hpp"
#include "harness/base/program.hpp"
#include "harness/cli/commands.hpp"

namespace maskbench {
namespace {

struct ReportArgs {
  std::vector<std::string> dirs;
  std::string out;
  bool figures = false;
  std::string python = "/usr/bin/python3";  // Debian's, which has Debian's matplotlib
  std::string scripts = file_of_program("scripts", "share/maskbench/scripts");
};

std::string script(const ReportArgs& args, const char* name) {
  const std::string path = args.scripts + "/" + name;
  if (!std::filesystem::exists(path))
    throw Error(path + ": no such file; name the folder of maskbench's scripts by --scripts");
  return path;
}

// A script tells its errors itself, in one line.
void run_script(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0)
    throw Error(
        fmt::format("cannot start {}: {}; apt-get install python3 python3-matplotlib, or "
                    "name another by --python",
                    words[0], std::strerror(error)));
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) throw CLI::RuntimeError(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

void report(const ReportArgs& args) {
  std::vector<std::string> page = {args.python, script(args, "report.py")};
  page.insert(page.end(), args.dirs.begin(), args.dirs.end());
  if (!args.out.empty()) page.insert(page.end(), {"--out", args.out});
  run_script(std::move(page));
  if (!args.figures) return;
  for (const auto& dir : args.dirs)
    run_script({args.python, script(args, "figures.py"), "all", "--results", dir});
}

}  // namespace

void add_report(CLI::App& app) {
  auto args = std::make_shared<ReportArgs>();
  auto* command = app.add_subcommand(
      "report",
      "Make one HTML page of results: figures, tables, verdicts on the paper's claims, provenance");
  command->add_option("dirs", args->dirs, "result directories, or directories of them")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", args->out, "the page [report.html in the first DIR]")
      ->type_name("FILE");
  command->add_flag("--figures", args->figures,
                    "also each figure as PDF, SVG, PNG, the tables and summary.csv, in each DIR");
  command->add_option("--python", args->python, "a Python 3 with matplotlib")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_option("--scripts", args->scripts, "where report.py is")
      ->envname("MASKBENCH_SCRIPTS")
      ->capture_default_str()
      ->type_name("DIR");
  command->callback([args] { report(*args); });
}

}  // namespace maskbench
