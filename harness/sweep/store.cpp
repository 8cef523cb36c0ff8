#include "harness/sweep/store.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/base/error.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

constexpr const char* kResultsLock = "results.lock";

// The name of a run's file. A manifest may say anything.
std::string file_of(const std::string& run) {
  if (!is_plain_name(run)) throw Error(fmt::format("'{}' is no name of a run", run));
  return run + ".csv";
}

// A run's line for a line of the plan: its file says the config that ran it, the plan may want it
// for another.
void append_run(std::string& out, CsvRow row, const PlanEntry& entry) {
  run_columns().cell(row, "config") = entry.config;
  run_columns().cell(row, "repeat") = fmt::format("{}", entry.repeat);
  append_csv(out, row);
}

}  // namespace

Store::Store(const std::string& dir, std::string worker)
    : dir_(Folder::made(dir)),
      runs_(dir_.inside("runs")),
      locks_(dir_.inside("locks")),
      worker_(std::move(worker)) {}

std::optional<RunState> Store::state(const std::string& run) const {
  return check_run_file(run, text_of(run)).state;
}

std::string Store::damage(const std::string& run) const {
  return runs_.has(file_of(run)) ? check_run_file(run, text_of(run)).damage : "";
}

std::string Store::text_of(const std::string& run) const {
  const std::string name = file_of(run);
  try {
    return runs_.read(name).value_or("");
  } catch (const Error&) {
    return "";  // a link, a pipe: no file of a run, and damage() says so
  }
}

bool Store::has_runs() const {
  for (const auto& name : runs_.names())
    if (name.ends_with(".csv")) return true;
  return false;
}

void Store::save(const std::string& run, const RunRecord& record) const {
  save_text(run, run_file_text(run, record));
}

void Store::adopt(const Store& from, const std::string& run) const {
  const auto text = from.runs_.read(file_of(run));
  if (text) save_text(run, *text);
}

void Store::save_text(const std::string& run, std::string_view text) const {
  runs_.write(file_of(run), temporary(run), text);
}

void Store::forget_failed(const std::string& run) const {
  const auto ended = state(run);
  if (ended && !ended->ok) runs_.remove(file_of(run));
}

void Store::publish(const std::string& run, const RunRecord& record,
                    std::span<const PlanEntry> plan) const {
  // One step for other processes: a rebuild between the two would add the rows twice.
  const auto lock = FileLock::wait(locks_, kResultsLock, FileLock::Kind::kExclusive);
  save(run, record);
  std::string runs, numbers;
  for (const auto& entry : plan) {
    if (entry.run == run) append_run(runs, record.run, entry);
  }
  for (const auto& row : record.numbers) append_csv(numbers, row);
  dir_.append(kRuns, runs);  // first: a number must not be there without its run
  dir_.append(kNumbers, numbers);
}

void Store::rebuild(std::span<const PlanEntry> plan) const {
  const auto lock = FileLock::wait(locks_, kResultsLock, FileLock::Kind::kExclusive);
  std::string runs = run_columns().header(), numbers = number_columns().header();
  std::map<std::string, CsvRow> seen;  // a run that several configs share has its numbers once
  for (const auto& entry : plan) {
    const auto [known, fresh] = seen.try_emplace(entry.run);
    if (fresh) {
      const std::string text = text_of(entry.run);
      const RunFile file = check_run_file(entry.run, text);
      known->second = file.run;
      numbers += file.numbers;
    }
    if (!known->second.empty()) append_run(runs, known->second, entry);
  }
  write(kRuns, runs);
  write(kNumbers, numbers);
}

void Store::remove_temporaries(bool of_all_workers) const {
  const std::string ours = of_all_workers ? "." : "." + worker_ + ".";
  for (const Folder* folder : {&dir_, &runs_}) {
    for (const auto& name : folder->names()) {
      const bool leftover = name.starts_with('.') && name.ends_with(".tmp");
      if (leftover && name.find(ours) != std::string::npos) folder->remove(name);
    }
  }
}

Folder Store::unused() const {
  const std::string base = "old-" + utc_now();
  std::string name = base;
  for (int i = 2; dir_.has(name); ++i) name = fmt::format("{}-{}", base, i);
  return dir_.inside(name);
}

std::string Store::set_aside(std::span<const std::string> runs,
                             std::span<const std::string> files) const {
  const Folder old = unused();
  for (const auto& file : files) dir_.move(file, old);
  if (runs.empty()) return old.path();
  const Folder old_runs = old.inside("runs");
  for (const auto& run : runs) runs_.move(file_of(run), old_runs);
  return old.path();
}

std::string Store::set_everything_aside() {
  const Folder old = unused();
  // The manifest last: if this is cut short, the next start still sees what the rest belongs to.
  for (const char* name : {"runs", kRuns, kNumbers, "manifest.json"}) dir_.move(name, old);
  runs_ = dir_.inside("runs");
  return old.path();
}

std::string Store::model_dir(const std::string& run) const {
  file_of(run);  // checks the name
  return dir_.inside("models").inside(run).path();
}

void Store::write(const std::string& name, const std::string& content) const {
  dir_.write(name, temporary(name), content);
}

std::string Store::temporary(const std::string& name) const {
  return fmt::format(".{}.{}.tmp", name, worker_);
}

}  // namespace maskbench
