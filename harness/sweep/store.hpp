#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/config/config.hpp"
#include "harness/sweep/results_csv.hpp"

namespace maskbench {

// How a run that has a file ended.
struct RunState {
  bool ok = false;
  double seconds = 0;  // of a run that is ok
  std::string reason;  // of one that failed
};

// What names a line of the plan in results.csv: the same run can stand there for several configs.
struct PlanEntry {
  std::string config;
  std::string run;
  int repeat = 0;
  std::string group;
  std::string kind;  // runs of one kind take similar time for their cost
  double cost = 0;   // seconds, estimated
};

// A directory of results. runs/<run>.csv holds the rows of a run: written once, atomically, by
// whichever process did the run. results.csv is put together from them.
class Store {
 public:
  // `worker` names the process among those that share the directory.
  Store(std::string dir, std::string worker);

  const std::string& dir() const { return dir_; }
  std::string results_path() const { return dir_ + "/results.csv"; }
  std::string run_path(const std::string& run) const { return dir_ + "/runs/" + run + ".csv"; }

  std::optional<RunState> state(const std::string& run) const;
  void save(const std::string& run, std::span<const CsvRow> rows) const;
  void adopt(const std::string& run, const std::string& file) const;  // as another Store wrote it
  void forget_failed(const std::string& run) const;

  // Saves the run and adds its rows to results.csv, once for each line of the plan that wants it.
  void publish(const std::string& run, std::span<const CsvRow> rows,
               std::span<const PlanEntry> plan) const;
  // All of results.csv anew, in the plan's order.
  void rebuild(std::span<const PlanEntry> plan) const;

  // Leftovers of killed processes: of all of them, or of this worker's name and its team.
  void remove_temporaries(bool of_all_workers) const;

  // Moves the files of these runs (or all results) to old-<time>/ and says where; never deletes.
  std::string set_aside(std::span<const std::string> runs) const;
  std::string set_everything_aside() const;

  void write(const std::string& name, const std::string& content) const;  // a file of the directory

 private:
  std::string results_lock() const { return dir_ + "/locks/results.lock"; }
  std::string temporary(const std::string& name) const;
  std::string dir_;
  std::string worker_;
};

}  // namespace maskbench
