#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/file_lock.hpp"
#include "harness/config/config.hpp"
#include "harness/judge/execute.hpp"
#include "harness/sweep/existing.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/sweep/manifest.hpp"
#include "harness/sweep/progress.hpp"
#include "harness/sweep/shard.hpp"
#include "harness/sweep/store.hpp"
#include "harness/sweep/team.hpp"

namespace maskbench {

struct SweepOptions {
  std::string dir;
  std::string data_dir;
  std::string command;
  Machine machine;
  Existing existing = Existing::kRefuse;
  bool retry = false;  // failed runs too
  bool save_models = false;
  Shard shard;
  Place place;  // in the team that does the sweep or the shard
  std::atomic<bool>* stop = nullptr;
};

struct SweepOutcome {
  size_t planned = 0;
  size_t ok = 0;      // of the planned ones, now or before
  size_t failed = 0;  // likewise
  bool interrupted = false;
  size_t left() const { return planned - ok - failed; }
};

// A list of runs on its way into a directory: prepare, work until the queue is empty, finish. In a
// team the leader does all three, the others join and work.
class Sweep {
 public:
  // Locks the directory (or this shard of it) for as long as the Sweep lives.
  Sweep(Plan plan, SweepOptions options);

  // Compares with what is there, cleans up, and says what is to be done.
  std::vector<size_t> prepare(Progress& progress);
  // Makes sure that this member sees the directory and the config that the leader prepared.
  void join();
  void work(WorkQueue& queue, const Executor& executor, Progress& progress);
  // Tells the leader's progress what the others have finished.
  static constexpr std::chrono::milliseconds kWatchEvery{500};
  void watch(Progress& progress, std::chrono::milliseconds at_most_every);
  SweepOutcome finish();

  const Store& store() const { return store_; }
  const Manifest& manifest() const { return manifest_; }
  const Settled& settled() const { return settled_; }  // what prepare() found there

 private:
  bool sharded() const { return options_.shard.count > 1; }
  bool stopped() const { return options_.stop && *options_.stop; }
  std::vector<size_t> own_runs() const;
  std::vector<std::string> own_ids() const;
  void wait_for_stragglers() const;
  void run(size_t index, const Executor& executor, Progress& progress);
  void note(const std::string& doing);

  Plan plan_;
  SweepOptions options_;
  Manifest manifest_;
  Store store_;
  std::optional<FileLock> directory_lock_;  // the leader's
  FileLock worker_lock_;
  Settled settled_;
  std::vector<size_t> todo_;  // the leader's
  std::chrono::steady_clock::time_point watched_{};
  bool interrupted_ = false;
};

}  // namespace maskbench
