#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>

#include "harness/base/reason.hpp"
#include "harness/base/table.hpp"
#include "harness/base/terminal.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/sweep/machine.hpp"

namespace maskbench {
namespace {

// CLI11's help, its descriptions wrapped to the terminal.
class Help : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text =
        wrapped(option->get_description(), terminal_of(stdout).width - column_width_, 0);
    text.pop_back();  // the end of the line
    return text;
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string line =
        fmt::format("  {:<{}}{}", sub->get_name(), column_width_ - 2, sub->get_description());
    return wrapped(line, terminal_of(stdout).width, column_width_);
  }
};

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

// A standard stream that was closed gives its number to the next file that is opened, and what is
// said would be written into the results.
void open_standard_streams() {
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

bool output_was_taken() {
  std::cout.flush();
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
}

int run_command(int argc, const char* const* argv, const Executor& executor) {
  CLI::App app(
      "Benchmark of vertical federated boosted trees under differential privacy.\n"
      "Start with: maskbench run configs/quickstart.yaml",
      "maskbench");
  app.set_version_flag("--version", fmt::format("maskbench {} ({})", version(), git_commit()));
  app.formatter(std::make_shared<Help>());
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
    if (std::ferror(stdout) == 0) fmt::print(stderr, "maskbench: {}\n", reason_of(error));
    return 1;
  }
  return 0;
}

}  // namespace

int run_app(int argc, const char* const* argv, const Executor& executor) {
  // A file at its limit is an error to tell, not an end without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  open_standard_streams();
  const int code = run_command(argc, argv, executor);
  if (output_was_taken()) return code;
  std::fputs("maskbench: standard output takes no more; is the disk full?\n", stderr);
  return 1;
}

}  // namespace maskbench
