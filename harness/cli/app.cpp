#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>

#include "harness/base/reason.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/sweep/machine.hpp"

namespace maskbench {
namespace {

std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  std::string command = "maskbench";
  for (const auto* sub : app->get_subcommands()) command += " " + sub->get_name();
  return fmt::format("maskbench: {}; see {} --help\n", one_line(error.what()), command);
}

// CLI11 would only say that a command is missing.
void check_command(CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const auto* sub : app.get_subcommands([](CLI::App*) { return true; }))
    commands.push_back(sub->get_name());
  const bool known = std::find(commands.begin(), commands.end(), word) != commands.end();
  if (known || word.starts_with('-')) return;
  throw CLI::ArgumentMismatch("unknown command '" + word + "'" + did_you_mean(word, commands));
}

}  // namespace

int run_app(int argc, const char* const* argv, const Executor& executor) {
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file at its limit is an error to tell, not an end without a word
  CLI::App app(
      "Benchmark of vertical federated boosted trees under differential privacy.\n"
      "Start with: maskbench run configs/quickstart.yaml",
      "maskbench");
  app.set_version_flag("--version", fmt::format("maskbench {} ({})", version(), git_commit()));
  app.require_subcommand(1);
  app.failure_message(usage_error);
  add_run(app, executor);
  add_show(app);
  add_list(app);
  add_status(app);
  add_merge(app);
  add_report(app);
  add_compare(app);
  add_predict(app);
  add_calibrate(app);
  add_party(app);
  try {
    if (argc > 1) check_command(app, argv[1]);
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "maskbench: {}\n", reason_of(error));
    return 1;
  }
  return 0;
}

}  // namespace maskbench
