#include "harness/sweep/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/reason.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The processes of a sweep that was killed may take a moment to end.
constexpr milliseconds kLockPatience{1'000};
constexpr milliseconds kStragglerPatience{10'000};

std::string leader_name(const Shard& shard) {
  return shard.count > 1 ? fmt::format("shard-{}-of-{}", shard.index + 1, shard.count) : "single";
}

std::string worker_name(const SweepOptions& options) {
  const std::string leader = leader_name(options.shard);
  const size_t member = options.place.member;
  return member == 0 ? leader : fmt::format("{}.{}", leader, member);
}

template <class Condition>
bool comes_true(const Condition& condition, milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

[[noreturn]] void refuse_to_share(const std::string& dir) {
  throw Error(
      dir + ": another maskbench is at work there (see `maskbench status " + dir +
      "`); wait for it, share the work by --workers N or --shard i/N, or use another --out");
}

FileLock lock_or_explain(const Store& store, const std::string& name, FileLock::Kind kind) {
  std::optional<FileLock> lock;
  const auto locked = [&] {
    lock = FileLock::try_lock(store.locks(), name + ".lock", kind);
    return lock.has_value();
  };
  if (!comes_true(locked, kLockPatience)) refuse_to_share(store.dir());
  return std::move(*lock);
}

std::optional<FileLock> lock_directory(const Store& store, const SweepOptions& options) {
  if (options.place.member > 0) return std::nullopt;
  const bool sharded = options.shard.count > 1;
  return lock_or_explain(store, "sweep",
                         sharded ? FileLock::Kind::kShared : FileLock::Kind::kExclusive);
}

std::string absolute(const std::string& dir) {
  return dir.empty() ? "" : fs::weakly_canonical(dir).string();
}

std::string outcome_text(const RunResult& result) {
  for (auto metric = result.metrics.rbegin(); metric != result.metrics.rend(); ++metric) {
    if (metric->name == "test_auc" && metric->status == "ok")
      return fmt::format("test_auc {:.4f}", metric->value);
  }
  return "done";
}

}  // namespace

Sweep::Sweep(Plan plan, SweepOptions options)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      manifest_{options_.machine.commit, absolute(options_.data_dir), options_.command,
                plan_entries(plan_.jobs), planned_data(plan_.jobs)},
      store_(options_.dir, worker_name(options_)),
      directory_lock_(lock_directory(store_, options_)),
      worker_lock_(
          lock_or_explain(store_, "worker-" + worker_name(options_), FileLock::Kind::kExclusive)) {}

std::vector<size_t> Sweep::prepare(Progress& progress) {
  note("preparing");
  wait_for_stragglers();
  settled_ = settle_existing(store_, manifest_, options_.existing, sharded(), own_ids());
  store_.remove_temporaries(!sharded());
  write_manifest(store_, manifest_);
  todo_.clear();
  std::vector<PlanEntry> entries;
  for (const size_t index : own_runs()) {
    if (options_.retry) store_.forget_failed(plan_.jobs[index].id);
    const auto state = store_.state(plan_.jobs[index].id);
    if (!state) {
      todo_.push_back(index);
      entries.push_back(manifest_.plan[index]);
    } else if (state->ok) {
      progress.learn(manifest_.plan[index], state->seconds);
    }
  }
  store_.rebuild(manifest_.plan);
  progress.plan(std::move(entries), options_.place.members);
  return todo_;
}

// Ranks can outlive the leader of a killed sweep; they hold no lock on the directory.
void Sweep::wait_for_stragglers() const {
  const std::string ours = "worker-" + worker_name(options_) + ".lock";
  const std::string theirs =
      sharded() ? "worker-" + leader_name(options_.shard) + "." : std::string("worker-");
  for (const auto& name : store_.locks().names()) {
    if (!name.starts_with(theirs) || name == ours) continue;
    const auto ended = [&] { return !FileLock::is_held(store_.locks(), name); };
    if (!comes_true(ended, kStragglerPatience)) refuse_to_share(options_.dir);
  }
}

void Sweep::join() {
  note("joining");
  const auto prepared = read_manifest(options_.dir);
  if (!prepared)
    throw Error(options_.dir + ": not the leader's directory; use one that all machines share");
  const std::string what = difference(*prepared, manifest_);
  if (!what.empty())
    throw Error(fmt::format("{}: the leader prepared {}; give all members the same files",
                            options_.dir, what));
}

// A run that stands in the plan for several configs is done once.
std::vector<size_t> Sweep::own_runs() const {
  std::vector<size_t> out;
  std::set<std::string> seen;
  for (size_t i = 0; i < plan_.jobs.size(); ++i) {
    if (!seen.insert(plan_.jobs[i].id).second) continue;
    if ((seen.size() - 1) % options_.shard.count == options_.shard.index) out.push_back(i);
  }
  return out;
}

std::vector<std::string> Sweep::own_ids() const {
  std::vector<std::string> out;
  for (const size_t index : own_runs()) out.push_back(plan_.jobs[index].id);
  return out;
}

void Sweep::work(WorkQueue& queue, const Executor& executor, Progress& progress) {
  while (!stopped()) {
    const auto index = queue.next();
    if (!index) break;
    try {
      run(*index, executor, progress);
    } catch (const Interrupted&) {
      break;
    }
  }
  interrupted_ = stopped();
  progress.clear();
}

void Sweep::watch(Progress& progress, milliseconds at_most_every) {
  const auto now = std::chrono::steady_clock::now();
  if (options_.place.members == 1 || now - watched_ < at_most_every) return;
  watched_ = now;
  // They are handed out in order and each member has one: beyond these none can be finished.
  size_t pending = 0;
  for (size_t i = 0; i < todo_.size() && pending <= 2 * options_.place.members; ++i) {
    const PlanEntry& entry = manifest_.plan[todo_[i]];
    if (progress.has_ended(entry)) continue;
    const auto state = store_.state(entry.run);
    if (state)
      progress.end(entry, state->seconds, state->ok ? "done" : "failed: " + state->reason);
    else
      ++pending;
  }
}

void Sweep::run(size_t index, const Executor& executor, Progress& progress) {
  const Job& job = plan_.jobs[index];
  const PlanEntry& entry = manifest_.plan[index];
  note(fmt::format("{} {} #{}", job.id, entry.group, entry.repeat + 1));
  progress.begin(entry);
  ExecuteContext context;
  context.data_dir = options_.data_dir;
  context.threads = options_.machine.threads;
  if (options_.save_models) context.model_dir = store_.model_dir(job.id);
  context.on_tree = [&](int done, int total) {
    progress.tree(done, total);
    if (options_.place.member == 0) watch(progress, kWatchEvery);
  };
  context.on_attack = [&](int done, int total) { progress.attack(done, total); };
  context.stop = options_.stop;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  RunRecord record;
  std::string outcome;
  try {
    const RunResult result = executor(job.spec, context);
    record = run_record(job.spec, job.id, result, elapsed(), options_.machine);
    outcome = outcome_text(result);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    const std::string reason = reason_of(error);
    record = error_record(job.spec, job.id, reason, options_.machine);
    outcome = "failed: " + reason;
  }
  store_.publish(job.id, record, manifest_.plan);
  progress.end(entry, elapsed(), outcome);
}

SweepOutcome Sweep::finish() {
  store_.rebuild(manifest_.plan);
  SweepOutcome outcome;
  outcome.interrupted = interrupted_;
  for (const size_t index : own_runs()) {
    const auto state = store_.state(plan_.jobs[index].id);
    ++outcome.planned;
    if (state) ++(state->ok ? outcome.ok : outcome.failed);
  }
  return outcome;
}

void Sweep::note(const std::string& doing) {
  worker_lock_.note(fmt::format("{} pid {}: {}\n", host_name(), ::getpid(), doing));
}

}  // namespace maskbench
