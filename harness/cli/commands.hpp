#pragma once

#include "harness/judge/execute.hpp"

namespace CLI {
class App;
}

namespace maskbench {

// One command each, in its own cmd_*.cpp. A callback that ends well but not with 0 throws
// CLI::RuntimeError(code).
void add_run(CLI::App& app, const Executor& executor);
void add_show(CLI::App& app);
void add_list(CLI::App& app);
void add_status(CLI::App& app);
void add_merge(CLI::App& app);
void add_report(CLI::App& app);
void add_compare(CLI::App& app);
void add_predict(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_party(CLI::App& app);

// The data dictionary, for people and for programs.
void print_metrics();
void print_metrics_json();

// The whole program: exit 0, 1 for an error (one line on stderr), 2 for wrong usage, 130
// interrupted.
int run_app(int argc, const char* const* argv, const Executor& executor);

}  // namespace maskbench
