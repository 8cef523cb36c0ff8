#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "harness/app/commands.hpp"
#include "harness/app/config_args.hpp"
#include "harness/app/interrupt.hpp"
#include "harness/app/summary.hpp"
#include "harness/app/sweep.hpp"
#include "harness/app/text.hpp"

namespace maskbench {
namespace {

struct RunArgs {
  ConfigArgs config;
  std::string out;
  int threads = 0;
  std::string shard = "1/1";
  bool resume = false;
  bool fresh = false;
  bool force = false;
  bool retry = false;
  bool save_models = false;
};

std::optional<Shard> parse_shard(const std::string& text) {
  char* rest = nullptr;
  const unsigned long index = std::strtoul(text.c_str(), &rest, 10);
  if (text.empty() || *rest != '/') return std::nullopt;
  const char* second = rest + 1;
  const unsigned long count = std::strtoul(second, &rest, 10);
  if (rest == second || *rest != '\0' || index < 1 || index > count) return std::nullopt;
  return Shard{index - 1, count};
}

std::string check_shard(const std::string& text) {
  return parse_shard(text) ? "" : "write it as i/N with i from 1 to N, e.g. 1/4";
}

Existing existing(const RunArgs& args) {
  if (args.resume) return Existing::kResume;
  if (args.fresh) return Existing::kFresh;
  return args.force ? Existing::kForce : Existing::kRefuse;
}

void print_end(const Sweep& sweep, const SweepOutcome& outcome) {
  fmt::print("{}results: {}\n", summary_table(sweep.store(), sweep.manifest().plan),
             sweep.store().results_path());
  std::fflush(stdout);
  if (outcome.interrupted) {
    fmt::print(stderr,
               "interrupted: {} of {} runs are finished and safe; the same command goes on\n",
               outcome.ok, outcome.planned);
    throw CLI::RuntimeError(130);
  }
  if (outcome.failed > 0) {
    fmt::print(stderr,
               "{} of {} runs failed (status error in the results); --retry runs them again\n",
               outcome.failed, outcome.planned);
    throw CLI::RuntimeError(1);
  }
}

void run(const RunArgs& args, const Executor& executor) {
  Plan plan = args.config.load();
  SweepOptions options;
  options.dir = args.out.empty() ? "results/" + plan.name : args.out;
  options.data_dir = args.config.data_dir;
  options.command = command_line();
  options.machine = this_machine(args.threads);
  options.existing = existing(args);
  options.retry = args.retry;
  options.save_models = args.save_models;
  options.shard = *parse_shard(args.shard);
  options.stop = &catch_interrupts();
  Progress progress(stderr, isatty(STDERR_FILENO) == 1);
  Sweep sweep(std::move(plan), options);
  auto todo = sweep.prepare(progress);
  if (!sweep.set_aside_to().empty())
    fmt::print(stderr, "old results are now in {}\n", sweep.set_aside_to());
  ListQueue queue(std::move(todo));
  sweep.work(queue, executor, progress);
  print_end(sweep, sweep.finish());
}

}  // namespace

void add_run(CLI::App& app, const Executor& executor) {
  auto args = std::make_shared<RunArgs>();
  auto* command =
      app.add_subcommand("run", "Run a config; finished runs are kept and not run twice");
  args->config.add_to(*command);
  command->add_option("--out", args->out, "result directory [results/NAME]")->type_name("DIR");
  command->add_option("--threads", args->threads, "threads a run [all processors]")
      ->check(CLI::Range(1, 4096));
  command->add_option("--shard", args->shard, "do the i-th of N parts; parts may share --out")
      ->check(check_shard, "i/N")
      ->type_name("i/N");
  auto* modes =
      command->add_option_group("existing", "If --out holds results of another config or commit");
  modes->add_flag("--resume", args->resume, "go on, keep the finished runs that belong");
  modes->add_flag("--fresh", args->fresh, "move the old results to DIR/old-TIME");
  modes->add_flag("--force", args->force, "run everything of this config again");
  modes->require_option(0, 1);
  command->add_flag("--retry", args->retry, "run failed runs again");
  command->add_flag("--save-models", args->save_models, "keep each run's model in DIR/models/RUN");
  command->callback([args, executor] { run(*args, executor); });
}

}  // namespace maskbench
