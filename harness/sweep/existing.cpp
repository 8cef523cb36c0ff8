#include "harness/sweep/existing.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

constexpr size_t kMostNotes = 5;

// The manifest as it is, or what is wrong with it.
struct Found {
  std::optional<Manifest> manifest;
  std::string damage;
};

Found look(const Store& store) {
  Found found;
  try {
    found.manifest = read_manifest(store.dir());
    if (!found.manifest && store.has_runs())
      found.damage = store.dir() + "/manifest.json is missing; it is made anew";
  } catch (const DamagedManifest& damaged) {
    found.damage = damaged.what();
  }
  return found;
}

// Without a manifest the runs' own files tell which program made them; their names which config.
std::string difference_of_runs(const Store& store, const Manifest& now,
                               std::span<const std::string> runs) {
  for (const auto& run : runs) {
    const auto state = store.state(run);
    if (state && state->commit != now.commit)
      return fmt::format("another commit ({}, now {})", state->commit, now.commit);
  }
  return "";
}

void set_damaged_runs_aside(Store& store, std::span<const std::string> runs, Settled& out) {
  std::vector<std::string> damaged;
  std::vector<std::string> reasons;
  for (const auto& run : runs) {
    const std::string damage = store.damage(run);
    if (damage.empty()) continue;
    damaged.push_back(run);
    reasons.push_back(damage);
  }
  if (damaged.empty()) return;
  const std::string old = store.set_aside(damaged);
  const size_t shown = std::min(damaged.size(), kMostNotes);
  for (size_t i = 0; i < shown; ++i)
    out.notes.push_back(fmt::format("{}/runs/{}.csv: {}; it is now in {} and the run is done again",
                                    store.dir(), damaged[i], reasons[i], old));
  if (damaged.size() > shown)
    out.notes.push_back(fmt::format("and {} more damaged files", damaged.size() - shown));
}

[[noreturn]] void refuse(const Store& store, const std::string& what) {
  throw Error(
      fmt::format("{}: holds results of {}; use --resume to go on and keep the finished runs "
                  "that belong, --force to run all of this config again, --fresh to move the "
                  "old results aside, or another --out",
                  store.dir(), what));
}

}  // namespace

Settled settle_existing(Store& store, const Manifest& now, Existing mode, bool shared,
                        std::span<const std::string> runs) {
  Settled out;
  const Found found = look(store);
  if (mode == Existing::kFresh) {
    if (shared) throw Error("--fresh would move other shards' results too; use another --out");
    const bool anything = found.manifest || !found.damage.empty();
    if (anything) out.aside = store.set_everything_aside();
    return out;
  }
  const std::string what =
      found.manifest ? difference(*found.manifest, now) : difference_of_runs(store, now, runs);
  if (!what.empty() && mode == Existing::kUpdate && !shared) {
    out.aside = store.set_everything_aside();
    return out;
  }
  if (!what.empty() && (mode == Existing::kRefuse || mode == Existing::kUpdate))
    refuse(store, what);
  if (!found.damage.empty()) {
    out.notes.push_back(found.damage);
    const std::vector<std::string> files = {"manifest.json"};
    if (store.has("manifest.json")) store.set_aside({}, files);
  }
  set_damaged_runs_aside(store, runs, out);
  if (mode != Existing::kForce) return out;
  std::vector<std::string> finished;
  for (const auto& run : runs) {
    if (store.state(run)) finished.push_back(run);
  }
  if (!finished.empty()) out.aside = store.set_aside(finished);
  return out;
}

}  // namespace maskbench
