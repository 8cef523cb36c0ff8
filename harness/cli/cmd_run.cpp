#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/error.hpp"
#include "harness/base/terminal.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/config_args.hpp"
#include "harness/config/plan_check.hpp"
#include "harness/sweep/interrupt.hpp"
#include "harness/sweep/shard.hpp"
#include "harness/sweep/summary.hpp"
#include "harness/sweep/sweep.hpp"

namespace maskbench {
namespace {

struct RunArgs {
  ConfigArgs config;
  std::string out;
  int threads = 0;  // 0: this process's share of the machine
  size_t workers = 1;
  std::string shard = "1/1";
  bool resume = false;
  bool update = false;
  bool fresh = false;
  bool force = false;
  bool retry = false;
  bool save_models = false;
};

std::string check_shard(const std::string& text) {
  return parse_shard(text) ? "" : "write it as i/N with i from 1 to N, e.g. 1/4";
}

Existing existing(const RunArgs& args) {
  if (args.resume) return Existing::kResume;
  if (args.update) return Existing::kUpdate;
  if (args.fresh) return Existing::kFresh;
  return args.force ? Existing::kForce : Existing::kRefuse;
}

void print_end(const Sweep& sweep, const SweepOutcome& outcome) {
  fmt::print("{}results: {}\n",
             summary_table(sweep.store(), sweep.manifest().plan, terminal_of(stdout).width),
             one_line(sweep.store().results_path()));
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
  }
  if (outcome.left() > 0) {
    fmt::print(stderr, "{} of {} runs are left; the same command goes on with them\n",
               outcome.left(), outcome.planned);
  }
  if (outcome.ok < outcome.planned) throw CLI::RuntimeError(1);
}

SweepOptions sweep_options(const RunArgs& args, const Plan& plan, const Place& place) {
  SweepOptions options;
  options.dir = args.out.empty() ? "results/" + plan.name : args.out;
  options.data_dir = args.config.data_dir;
  options.command = command_line();
  options.machine = this_machine(args.threads > 0 ? args.threads : share_of_processors(place));
  options.existing = existing(args);
  options.retry = args.retry;
  options.save_models = args.save_models;
  options.shard = *parse_shard(args.shard);
  options.place = place;
  options.stop = &catch_interrupts();
  return options;
}

// A member other than the leader: silent, the leader speaks for it.
void follow(const RunArgs& args, const Executor& executor, const Place& place, WorkQueue& queue) {
  be_quiet_about_interrupts();
  take_own_gpu(place);
  Plan plan = args.config.load();
  const SweepOptions options = sweep_options(args, plan, place);
  Sweep sweep(std::move(plan), options);
  sweep.join();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "w"),
                                                                &std::fclose);
  Progress progress(nowhere.get(), {});
  sweep.work(queue, executor, progress);
}

void lead(const RunArgs& args, const Executor& executor, Team& team, const Follow& follower) {
  Plan plan = args.config.load();
  const SweepOptions options = sweep_options(args, plan, team.place());
  for (const auto& note : check_plan(plan, options.data_dir, options.machine.threads))
    fmt::print(stderr, "maskbench: {}\n", one_line(note));
  Progress progress(stderr, terminal_of(stderr));
  Sweep sweep(std::move(plan), options);
  auto todo = sweep.prepare(progress);
  for (const auto& note : sweep.settled().notes)
    fmt::print(stderr, "maskbench: {}\n", one_line(note));
  if (!sweep.settled().aside.empty())
    fmt::print(stderr, "old results are now in {}\n", one_line(sweep.settled().aside));
  WorkQueue& queue = team.lead(std::move(todo), follower);
  take_own_gpu(team.place());
  sweep.work(queue, executor, progress);
  const auto problems = team.wait([&] {
    sweep.watch(progress, Sweep::kWatchEvery);
    progress.idle();
  });
  sweep.watch(progress, std::chrono::milliseconds(0));
  progress.clear();
  for (const auto& problem : problems) fmt::print(stderr, "maskbench: {}\n", one_line(problem));
  print_end(sweep, sweep.finish());
}

std::unique_ptr<Team> gather_team(const RunArgs& args) {
  if (!is_one_of_many_ranks()) return local_team(args.workers);
  if (args.workers > 1) throw Error("--workers is for a single process; mpirun starts its own");
  return mpi_team();
}

void run(const RunArgs& args, const Executor& executor) {
  std::unique_ptr<Team> team;
  try {
    team = gather_team(args);
  } catch (const Error&) {
    if (is_first_rank()) throw;  // one says it for all
    return;
  }
  const Follow follower = [&](const Place& place, WorkQueue& queue) {
    follow(args, executor, place, queue);
  };
  if (team->place().member > 0) return team->follow(follower);
  try {
    lead(args, executor, *team, follower);
  } catch (...) {
    catch_interrupts() = true;  // the workers should not keep the user from the message
    throw;
  }
}

}  // namespace

void add_run(CLI::App& app, const Executor& executor) {
  auto args = std::make_shared<RunArgs>();
  auto* command =
      app.add_subcommand("run", "Run a config; finished runs are kept and not run twice");
  args->config.add_to(*command);
  command->add_option("--out", args->out, "result directory [results/NAME]")->type_name("DIR");
  command
      ->add_option("--threads", args->threads,
                   "threads a run [all processors, divided by the workers]")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--workers", args->workers,
                   "processes that share the runs, each with a GPU of its own if there are several")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--shard", args->shard, "do the i-th of N parts; parts may share --out")
      ->check(check_shard, "i/N")
      ->type_name("i/N");
  auto* modes =
      command->add_option_group("existing", "If --out holds results of another config or commit");
  modes->add_flag("--resume", args->resume, "go on, keep the finished runs that belong");
  modes->add_flag("--update", args->update,
                  "move them to DIR/old-TIME; go on if they are of this one");
  modes->add_flag("--fresh", args->fresh, "move whatever is there to DIR/old-TIME");
  modes->add_flag("--force", args->force, "run everything of this config again");
  modes->require_option(0, 1);
  command->add_flag("--retry", args->retry, "run failed runs again");
  command->add_flag("--save-models", args->save_models, "keep each run's model in DIR/models/RUN");
  command->callback([args, executor] { run(*args, executor); });
}

}  // namespace maskbench
