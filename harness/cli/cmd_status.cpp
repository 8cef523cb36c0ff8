#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/table.hpp"
#include "harness/base/terminal.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/sweep/cost.hpp"
#include "harness/sweep/manifest.hpp"

namespace maskbench {
namespace {

constexpr size_t kMostFailures = 10;

std::string first_line(const std::string& text) {
  return one_line(std::string_view(text).substr(0, text.find('\n')));
}

// What the living workers say they are doing.
std::vector<std::string> running(const Store& store) {
  std::vector<std::string> out;
  for (const auto& name : store.locks().names()) {
    if (!name.starts_with("worker-") || !FileLock::is_held(store.locks(), name)) continue;
    out.push_back(first_line(store.locks().read(name).value_or("")));
  }
  return out;
}

void print_status(const std::string& dir) {
  const auto manifest = read_manifest(dir);
  if (!manifest) throw Error(dir + ": no results of maskbench (no manifest.json)");
  const Store store(dir, "status");
  CostLog log;
  std::vector<PlanEntry> left;
  std::vector<std::string> failures;
  std::set<std::string> seen;
  size_t done = 0;
  for (const auto& entry : manifest->plan) {
    if (!seen.insert(entry.run).second) continue;
    const auto state = store.state(entry.run);
    if (!state) {
      left.push_back(entry);
    } else if (state->ok) {
      ++done;
      log.learn(entry, state->seconds);
    } else {
      failures.push_back(
          fmt::format("{} {} #{}: {}", entry.run, entry.group, entry.repeat + 1, state->reason));
    }
  }
  const auto workers = running(store);
  double seconds = 0;
  for (const auto& entry : left) seconds += log.predict(entry);
  seconds /= static_cast<double>(std::max<size_t>(1, workers.size()));
  fmt::print("{} runs: {} done, {} failed, {} left", seen.size(), done, failures.size(),
             left.size());
  if (!left.empty()) fmt::print(", about {}", duration_text(seconds));
  if (workers.size() > 1) fmt::print(" with {} processes", workers.size());
  fmt::print("\n");
  const auto print = [width = terminal_of(stdout).width](const std::string& line) {
    fmt::print("{}", wrapped(one_line(line), width));
  };
  for (const auto& worker : workers) print("running: " + worker);
  for (size_t i = 0; i < std::min(failures.size(), kMostFailures); ++i)
    print("failed: " + failures[i]);
  print(fmt::format("commit {}, made by: {}", manifest->commit, manifest->command));
}

}  // namespace

void add_status(CLI::App& app) {
  auto dir = std::make_shared<std::string>();
  auto* command =
      app.add_subcommand("status", "Show what of a sweep is done, running, failed and left");
  command->add_option("dir", *dir, "result directory")->required()->type_name("DIR");
  command->callback([dir] { print_status(*dir); });
}

}  // namespace maskbench
