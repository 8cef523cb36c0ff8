#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/table.hpp"
#include "harness/base/terminal.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/config_args.hpp"
#include "harness/config/expand.hpp"
#include "harness/config/plan_check.hpp"
#include "harness/config/schema.hpp"
#include "harness/sweep/cost.hpp"

namespace maskbench {
namespace {

struct ShowArgs {
  ConfigArgs config;
  bool keys = false;
  bool metrics = false;
  bool json = false;
  std::string run;
};

void print_keys() {
  for (const auto& key : schema()) {
    const std::string value = default_text(key).empty() ? "none" : default_text(key);
    fmt::print("{} = {}\n", key.name, value);
    for (const auto& text : {key.help, key.allowed})
      fmt::print("{}", wrapped("    " + text, kPageWidth, 4));
  }
}

void print_run(const Plan& plan, const std::string& id) {
  for (const auto& job : plan.jobs) {
    if (job.id != id) continue;
    fmt::print("{}", canonical_text(job.spec));
    return;
  }
  throw Error("no run " + id + " in this config");
}

struct Line {
  std::string config;
  std::string group;
  std::string first_id;
  int runs = 0;
  double seconds = 0;
};

void print_plan(const Plan& plan) {
  std::vector<Line> lines;
  std::map<std::string, size_t> place;
  std::set<std::string> unique;
  double total = 0;
  for (const auto& job : plan.jobs) {
    const auto [found, added] = place.emplace(job.spec.name + "\n" + job.group, lines.size());
    if (added) lines.push_back({job.spec.name, job.group, job.id, 0, 0});
    const double seconds = estimated_seconds(job.spec, job.shape);
    ++lines[found->second].runs;
    lines[found->second].seconds += seconds;
    if (unique.insert(job.id).second) total += seconds;
  }
  Table table = {{"runs of", "number", "estimate", "config", "first"}};
  for (const auto& line : lines) {
    table.push_back({line.group, fmt::format("{}", line.runs), duration_text(line.seconds),
                     line.config, line.first_id});
  }
  fmt::print("{}{} runs, about {} on two cores (a rough guess)\n",
             table_text(table, terminal_of(stdout).width), unique.size(), duration_text(total));
}

}  // namespace

void add_show(CLI::App& app) {
  auto args = std::make_shared<ShowArgs>();
  auto* command = app.add_subcommand(
      "show", "Show the runs of a config and what they may cost, all keys, or what results mean");
  args->config.add_to(*command);
  command->get_option("config")->required(false);
  command->add_flag("--keys", args->keys, "list all keys with default, help and range");
  auto* metrics = command->add_flag("--metrics", args->metrics,
                                    "list all columns and metrics of results with their meaning");
  command->add_flag("--json", args->json, "for programs")->needs(metrics);
  command->add_option("--run", args->run, "print the resolved keys of one run")->type_name("ID");
  command->callback([args] {
    if (args->keys) return print_keys();
    if (args->metrics) return args->json ? print_metrics_json() : print_metrics();
    if (args->config.path.empty()) throw CLI::RequiredError("CONFIG, --keys or --metrics");
    Plan plan = args->config.load();
    for (const auto& note : check_plan(plan, args->config.data_dir, 1))
      fmt::print(stderr, "maskbench: {}\n", one_line(note));
    return args->run.empty() ? print_plan(plan) : print_run(plan, args->run);
  });
}

}  // namespace maskbench
