#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/file_lock.hpp"
#include "harness/base/folder.hpp"
#include "harness/config/config.hpp"
#include "harness/sweep/run_file.hpp"

namespace maskbench {

// What names a line of the plan in runs.csv: the same run can stand there for several configs.
struct PlanEntry {
  std::string config;
  std::string run;
  int repeat = 0;
  std::string group;
  std::string kind;  // runs of one kind take similar time for their cost
  double cost = 0;   // seconds, estimated
};

// A directory of results. runs/<run>.csv holds all of a run: written once, atomically, by whichever
// process did the run. runs.csv (a line for each line of the plan) and results.csv (the numbers of
// each run, once) are put together from them.
class Store {
 public:
  // `worker` names the process among those that share the directory.
  Store(const std::string& dir, std::string worker);

  const std::string& dir() const { return dir_.path(); }
  const Folder& locks() const { return locks_; }
  std::string results_path() const { return dir_.path_of(kNumbers); }
  std::string runs_path() const { return dir_.path_of(kRuns); }
  static constexpr const char* kRuns = "runs.csv";
  static constexpr const char* kNumbers = "results.csv";

  std::optional<RunState> state(const std::string& run) const;
  std::string damage(const std::string& run) const;  // why its file does not count; or nothing
  bool has_runs() const;                             // any file in runs/
  void save(const std::string& run, const RunRecord& record) const;
  void adopt(const Store& from, const std::string& run) const;
  void forget_failed(const std::string& run) const;

  // Saves the run and adds it to both tables: to runs.csv for each line of the plan that wants it.
  void publish(const std::string& run, const RunRecord& record,
               std::span<const PlanEntry> plan) const;
  // Both tables anew, in the plan's order.
  void rebuild(std::span<const PlanEntry> plan) const;

  // Leftovers of killed processes: of all of them, or of this worker's name and its team.
  void remove_temporaries(bool of_all_workers) const;

  // Moves the files of these runs, files of the directory, or all results to old-<time>/ and says
  // where; never deletes.
  std::string set_aside(std::span<const std::string> runs,
                        std::span<const std::string> files = {}) const;
  std::string set_everything_aside();

  bool has(const std::string& name) const { return dir_.has(name); }      // of the directory itself
  std::string model_dir(const std::string& run) const;                    // made if it is not there
  void write(const std::string& name, const std::string& content) const;  // a file of the directory

 private:
  Folder unused() const;
  std::string text_of(const std::string& run) const;  // empty if there is none to read
  void save_text(const std::string& run, std::string_view text) const;
  std::string temporary(const std::string& name) const;
  Folder dir_;
  Folder runs_;
  Folder locks_;
  std::string worker_;
};

}  // namespace maskbench
