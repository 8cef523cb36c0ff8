#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/party/output.hpp"
#include "harness/sweep/manifest.hpp"

namespace maskbench {
namespace {

struct MergeArgs {
  std::vector<std::string> dirs;
  std::string out;
  bool force = false;
};

std::string line_name(const PlanEntry& entry) {
  return entry.config + " " + entry.run;
}

// The plans one after the other; shards of one config have the same plan.
Manifest merged_manifest(const std::vector<std::string>& dirs, bool force) {
  Manifest merged;
  std::set<std::string> seen;
  for (const auto& dir : dirs) {
    const auto manifest = read_manifest(dir);
    if (!manifest) throw Error(dir + ": no results of maskbench (no manifest.json)");
    if (merged.plan.empty()) {
      merged.commit = manifest->commit;
      merged.data_dir = manifest->data_dir;
      merged.command = manifest->command;
    }
    if (manifest->commit != merged.commit && !force) {
      throw Error(
          fmt::format("{} was made by commit {}, {} by {}; --force merges them nevertheless",
                      dirs[0], merged.commit, dir, manifest->commit));
    }
    const std::string other = changed_data(merged.data, manifest->data, " there, here ");
    if (!other.empty() && !force) {
      throw Error(
          fmt::format("{}: made from other data than those before it ({}); give all the same data, "
                      "or --force keeps the runs of both",
                      dir, other));
    }
    for (const auto& [key, contents] : manifest->data)
      merged.data[key].insert(contents.begin(), contents.end());
    for (const auto& entry : manifest->plan) {
      if (seen.insert(line_name(entry)).second) merged.plan.push_back(entry);
    }
  }
  return merged;
}

void adopt_better(const Store& from, const Store& to, const std::string& run) {
  const auto theirs = from.state(run);
  const auto ours = to.state(run);
  const bool better = theirs && (!ours || (theirs->ok && !ours->ok));
  if (better) to.adopt(from, run);
}

void merge(const MergeArgs& args) {
  if (std::ranges::any_of(args.dirs, is_party_folder)) {
    if (args.dirs.size() != 2) throw Error("give AP's folder and PP's: two in all");
    return merge_parties(args.dirs[0], args.dirs[1], args.out, args.force);
  }
  std::vector<std::string> dirs = args.dirs;
  // What the target already holds stays, and comes first.
  if (read_manifest(args.out)) dirs.insert(dirs.begin(), args.out);
  const Manifest manifest = merged_manifest(dirs, args.force);
  const Store out(args.out, "merge");
  const auto lock = FileLock::try_lock(out.locks(), "sweep.lock", FileLock::Kind::kExclusive);
  if (!lock)
    throw Error(args.out + ": another maskbench is at work there; merge when it has ended");
  std::set<std::string> runs;
  for (const auto& entry : manifest.plan) runs.insert(entry.run);
  for (const auto& dir : args.dirs) {
    const Store from(dir, "merge");
    for (const auto& run : runs) adopt_better(from, out, run);
  }
  write_manifest(out, manifest);
  out.rebuild(manifest.plan);
  size_t ok = 0, failed = 0;
  for (const auto& run : runs) {
    const auto state = out.state(run);
    if (state) ++(state->ok ? ok : failed);
  }
  fmt::print("{} of {} runs done, {} failed\nresults: {}\n", ok, runs.size(), failed,
             one_line(out.results_path()));
}

}  // namespace

void add_merge(CLI::App& app) {
  auto args = std::make_shared<MergeArgs>();
  auto* command = app.add_subcommand(
      "merge", "Put the results of several directories (shards, or the two parties) into one");
  command->add_option("dirs", args->dirs, "result directories")->required()->type_name("DIR");
  command->add_option("--out", args->out, "where to")->required()->type_name("DIR");
  command->add_flag("--force", args->force,
                    "also if they were made by different commits or from different data");
  command->callback([args] { merge(*args); });
}

}  // namespace maskbench
