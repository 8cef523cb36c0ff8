#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.hpp"
#include "harness/cli/scripts.hpp"

namespace maskbench {
namespace {

struct ReportArgs {
  std::vector<std::string> dirs;
  std::string out;
  bool figures = false;
  Scripts scripts;
};

void report(const ReportArgs& args) {
  std::vector<std::string> page = args.dirs;
  if (!args.out.empty()) page.insert(page.end(), {"--out", args.out});
  args.scripts.run("report.py", std::move(page));
  if (!args.figures) return;
  for (const auto& dir : args.dirs) args.scripts.run("figures.py", {"all", "--results", dir});
}

}  // namespace

void add_report(CLI::App& app) {
  auto args = std::make_shared<ReportArgs>();
  auto* command = app.add_subcommand(
      "report", "Make one HTML page of results: figures, tables, verdicts on the claims");
  command->add_option("dirs", args->dirs, "result directories, or directories of them")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", args->out, "the page [report.html in the first DIR]")
      ->type_name("FILE");
  command->add_flag("--figures", args->figures,
                    "also each figure as PDF, SVG, PNG, the tables and summary.csv, in each DIR");
  args->scripts.add_to(*command);
  command->callback([args] { report(*args); });
}

}  // namespace maskbench
