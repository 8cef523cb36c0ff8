#include "harness/sweep/store.hpp"

#include <fmt/format.h>

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

// The records of a run's file for a line of the plan: the file says the config that ran it, the
// plan may want it for another.
std::string rows_for(std::string_view body, const PlanEntry& entry) {
  const std::string repeat = fmt::format("{}", entry.repeat);
  CsvReader reader(body);
  CsvRow row;
  std::string out;
  while (reader.next(row)) {
    const bool as_it_is = row[column("config")] == entry.config && row[column("repeat")] == repeat;
    if (out.empty() && as_it_is) return std::string(body);
    row[column("config")] = entry.config;
    row[column("repeat")] = repeat;
    append_csv(out, row);
  }
  return out;
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

void Store::save(const std::string& run, std::span<const CsvRow> rows) const {
  save_text(run, run_file_text(run, rows));
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

void Store::publish(const std::string& run, std::span<const CsvRow> rows,
                    std::span<const PlanEntry> plan) const {
  // One step for other processes: a rebuild between the two would add the rows twice.
  const auto lock = FileLock::wait(locks_, kResultsLock, FileLock::Kind::kExclusive);
  save(run, rows);
  std::string body;
  for (const auto& row : rows) append_csv(body, row);
  std::string added;
  for (const auto& entry : plan) {
    if (entry.run == run) added += rows_for(body, entry);
  }
  dir_.append("results.csv", added);
}

void Store::rebuild(std::span<const PlanEntry> plan) const {
  const auto lock = FileLock::wait(locks_, kResultsLock, FileLock::Kind::kExclusive);
  std::string out = header_line();
  for (const auto& entry : plan) {
    const std::string text = text_of(entry.run);
    const RunFile file = check_run_file(entry.run, text);
    if (file.state) out += rows_for(file.body, entry);
  }
  write("results.csv", out);
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
  for (const char* name : {"runs", "results.csv", "manifest.json"}) dir_.move(name, old);
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
