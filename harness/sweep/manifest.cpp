#include "harness/sweep/manifest.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "harness/sweep/cost.hpp"

namespace maskbench {

using nlohmann::json;

std::string Manifest::plan_hash() const {
  std::string text;
  for (const auto& entry : plan)
    text += fmt::format("{} {} {}\n", entry.config, entry.run, entry.repeat);
  return sha256_of_text(text).substr(0, 16);
}

std::vector<PlanEntry> plan_entries(const std::vector<Job>& jobs) {
  std::vector<PlanEntry> plan;
  for (const auto& job : jobs) {
    const RunSpec& spec = job.spec;
    const std::string kind =
        fmt::format("{} {} {}", spec.method, name_of(spec.mode), spec.attack.name);
    plan.push_back({spec.name, job.id, spec.repeat, job.group, kind, estimated_seconds(spec)});
  }
  return plan;
}

std::optional<Manifest> read_manifest(const std::string& dir) {
  const std::string path = dir + "/manifest.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  Manifest manifest;
  try {
    const json root = json::parse(read_file(path));
    root.at("commit").get_to(manifest.commit);
    root.at("data_dir").get_to(manifest.data_dir);
    root.at("command").get_to(manifest.command);
    for (const auto& item : root.at("plan")) {
      manifest.plan.push_back({item.at("config"), item.at("run"), item.at("repeat"),
                               item.at("group"), item.at("kind"), item.at("cost")});
    }
    manifest.data = planned_data_of(root.value("data", json::array()));
  } catch (const json::exception& error) {
    throw Error(
        fmt::format("{}: not a manifest of maskbench ({}); use another --out", path, error.what()));
  }
  return manifest;
}

void write_manifest(const Store& store, const Manifest& manifest) {
  json plan = json::array();
  for (const auto& entry : manifest.plan) {
    plan.push_back({{"config", entry.config},
                    {"run", entry.run},
                    {"repeat", entry.repeat},
                    {"group", entry.group},
                    {"kind", entry.kind},
                    {"cost", entry.cost}});
  }
  const json root = {{"plan_hash", manifest.plan_hash()},
                     {"commit", manifest.commit},
                     {"data_dir", manifest.data_dir},
                     {"command", manifest.command},
                     {"data", as_json(manifest.data)},
                     {"runs", manifest.plan.size()},
                     {"plan", std::move(plan)}};
  store.write("manifest.json", root.dump(1) + "\n");
}

std::string difference(const Manifest& old, const Manifest& now) {
  std::vector<std::string> parts;
  if (old.commit != now.commit) {
    parts.push_back(fmt::format("another commit ({}, now {})", old.commit, now.commit));
  }
  if (old.data_dir != now.data_dir) {
    const auto named = [](const std::string& dir) { return dir.empty() ? "none" : dir; };
    parts.push_back(fmt::format("another data directory ({}, now {})", named(old.data_dir),
                                named(now.data_dir)));
  }
  if (old.plan_hash() != now.plan_hash()) {
    std::set<std::string> runs;
    for (const auto& entry : old.plan) runs.insert(entry.run);
    size_t common = 0;
    for (const auto& entry : now.plan) common += runs.contains(entry.run);
    const std::string changed = changed_data(old.data, now.data, ", now ");
    const std::string what = changed.empty() ? "another config (" : "other data (" + changed + "; ";
    parts.push_back(fmt::format("{}{} of the {} runs now asked for are the same)", what, common,
                                now.plan.size()));
  }
  return join(parts, " and ");
}

}  // namespace maskbench
