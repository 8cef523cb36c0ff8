#include "harness/sweep/store.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/sweep/machine.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

std::string header() {
  std::string out;
  append_csv(out, columns());
  return out;
}

std::string csv_text(std::span<const CsvRow> rows) {
  std::string out;
  for (const auto& row : rows) append_csv(out, row);
  return out;
}

// The records of a run's file without its header, for a line of the plan: the file says the config
// that ran it, the plan may want it for another.
std::string rows_for(const std::string& file, const PlanEntry& entry) {
  CsvReader reader(file);
  CsvRow row;
  if (!reader.next(row) || row != columns()) return "";
  const std::string_view body = reader.rest();
  const std::string repeat = fmt::format("{}", entry.repeat);
  if (!reader.next(row)) return "";
  if (row[column("config")] == entry.config && row[column("repeat")] == repeat)
    return std::string(body);
  std::string out;
  do {
    row[column("config")] = entry.config;
    row[column("repeat")] = repeat;
    append_csv(out, row);
  } while (reader.next(row));
  return out;
}

void move_into(const fs::path& directory, const fs::path& file) {
  if (!fs::exists(file)) return;
  fs::create_directories(directory);
  fs::rename(file, directory / file.filename());
}

std::string unused_directory(const std::string& dir) {
  const std::string base = dir + "/old-" + utc_now();
  std::string name = base;
  for (int i = 2; fs::exists(name); ++i) name = fmt::format("{}-{}", base, i);
  return name;
}

}  // namespace

Store::Store(std::string dir, std::string worker)
    : dir_(std::move(dir)), worker_(std::move(worker)) {
  std::error_code error;
  fs::create_directories(dir_ + "/runs", error);
  if (!error) fs::create_directories(dir_ + "/locks", error);
  if (error) throw Error(fmt::format("cannot create {}: {}", dir_, error.message()));
}

std::optional<RunState> Store::state(const std::string& run) const {
  // The first two records tell; a run's file can be long, and there can be thousands.
  std::ifstream in(run_path(run), std::ios::binary);
  std::string text(1 << 14, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  CsvReader reader(text);
  CsvRow row;
  // A file with other columns is of another version: as if it were not there.
  if (!reader.next(row) || row != columns() || !reader.next(row)) return std::nullopt;
  if (row.size() != columns().size()) return std::nullopt;
  RunState state;
  state.ok = !row[column("metric")].empty();
  state.reason = row[column("reason")];
  state.seconds = std::atof(row[column("value")].c_str());
  return state;
}

void Store::save(const std::string& run, std::span<const CsvRow> rows) const {
  adopt(run, header() + csv_text(rows));
}

void Store::adopt(const std::string& run, const std::string& file) const {
  write_file_atomic(run_path(run), temporary("runs/." + run), file);
}

void Store::forget_failed(const std::string& run) const {
  const auto ended = state(run);
  if (ended && !ended->ok) fs::remove(run_path(run));
}

void Store::publish(const std::string& run, std::span<const CsvRow> rows,
                    std::span<const PlanEntry> plan) const {
  // One step for other processes: a rebuild between the two would add the rows twice.
  const auto lock = FileLock::wait(results_lock(), FileLock::Kind::kExclusive);
  save(run, rows);
  const std::string file = header() + csv_text(rows);
  std::string added;
  for (const auto& entry : plan) {
    if (entry.run == run) added += rows_for(file, entry);
  }
  append_file(results_path(), added);
}

void Store::rebuild(std::span<const PlanEntry> plan) const {
  const auto lock = FileLock::wait(results_lock(), FileLock::Kind::kExclusive);
  std::string out = header();
  for (const auto& entry : plan) {
    if (fs::exists(run_path(entry.run))) out += rows_for(read_file(run_path(entry.run)), entry);
  }
  write("results.csv", out);
}

void Store::remove_temporaries(bool of_all_workers) const {
  const std::string ours = of_all_workers ? "." : "." + worker_ + ".";
  for (const auto& folder : {dir_, dir_ + "/runs"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const bool leftover = name.starts_with('.') && name.ends_with(".tmp");
      if (leftover && name.find(ours) != std::string::npos) fs::remove(entry.path());
    }
  }
}

std::string Store::set_aside(std::span<const std::string> runs) const {
  const std::string old = unused_directory(dir_);
  for (const auto& run : runs) move_into(old + "/runs", run_path(run));
  return old;
}

std::string Store::set_everything_aside() const {
  const std::string old = unused_directory(dir_);
  // The manifest last: if this is cut short, the next start still sees what the rest belongs to.
  for (const char* name : {"runs", "results.csv", "manifest.json"})
    move_into(old, fs::path(dir_) / name);
  fs::create_directories(dir_ + "/runs");
  return old;
}

void Store::write(const std::string& name, const std::string& content) const {
  write_file_atomic(dir_ + "/" + name, temporary("." + name), content);
}

std::string Store::temporary(const std::string& name) const {
  return fmt::format("{}/{}.{}.tmp", dir_, name, worker_);
}

}  // namespace maskbench
