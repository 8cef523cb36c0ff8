#include "harness/sweep/manifest.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
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
    plan.push_back(
        {spec.name, job.id, spec.repeat, job.group, kind, estimated_seconds(spec, job.shape)});
  }
  return plan;
}

namespace {

json body_of(const Manifest& manifest) {
  json plan = json::array();
  for (const auto& entry : manifest.plan) {
    plan.push_back({{"config", entry.config},
                    {"run", entry.run},
                    {"repeat", entry.repeat},
                    {"group", entry.group},
                    {"kind", entry.kind},
                    {"cost", entry.cost}});
  }
  return {{"plan_hash", manifest.plan_hash()},
          {"commit", manifest.commit},
          {"data_dir", manifest.data_dir},
          {"command", manifest.command},
          {"data", as_json(manifest.data)},
          {"runs", manifest.plan.size()},
          {"plan", std::move(plan)}};
}

// Bytes of a command line that are no UTF-8 are replaced: JSON has no others.
std::string text_of(const json& root) {
  return root.dump(1, ' ', false, json::error_handler_t::replace);
}

// Over all that is read back.
std::string seal_of(const json& body) {
  return sha256_of_text(text_of(body));
}

PlanEntry entry_of(const json& item) {
  PlanEntry entry;
  item.at("config").get_to(entry.config);
  item.at("run").get_to(entry.run);
  item.at("group").get_to(entry.group);
  item.at("kind").get_to(entry.kind);
  item.at("cost").get_to(entry.cost);
  // Asked first: a float beyond its range must not be turned into an integer.
  const json& number = item.at("repeat");
  const auto repeat = number.is_number_integer() ? number.get<json::number_integer_t>() : -1;
  const bool in_range = repeat >= 0 && repeat <= std::numeric_limits<int>::max();
  if (!in_range || !is_plain_name(entry.run) || !is_plain_name(entry.config))
    throw Error("a line of its plan has no name");
  entry.repeat = static_cast<int>(repeat);
  return entry;
}

ParsedManifest fields_of(const json& root) {
  ParsedManifest out;
  Manifest& manifest = out.manifest;
  root.at("commit").get_to(manifest.commit);
  root.at("data_dir").get_to(manifest.data_dir);
  root.at("command").get_to(manifest.command);
  for (const auto& item : root.at("plan")) manifest.plan.push_back(entry_of(item));
  manifest.data = planned_data_of(root.value("data", json::array()));
  out.whole = root.at("seal").get<std::string>() == seal_of(body_of(manifest));
  return out;
}

}  // namespace

ParsedManifest parse_manifest(const std::string& text) {
  try {
    return fields_of(json::parse(text));
  } catch (const json::parse_error&) {
    throw Error("it is no JSON");
  } catch (const json::exception&) {
    throw Error("a field is missing or of another kind");
  }
}

std::string manifest_text(const Manifest& manifest) {
  json root = body_of(manifest);
  root["seal"] = seal_of(root);
  return text_of(root) + "\n";
}

std::optional<Manifest> read_manifest(const std::string& dir) {
  const auto folder = Folder::existing(dir);
  if (!folder) return std::nullopt;
  try {
    const auto text = folder->read("manifest.json");
    if (!text) return std::nullopt;
    ParsedManifest parsed = parse_manifest(*text);
    if (!parsed.whole) throw Error("its checksum differs");
    return std::move(parsed.manifest);
  } catch (const Error& error) {
    throw DamagedManifest(
        fmt::format("{}: damaged or of another version ({}); `maskbench run` with the same config "
                    "makes it anew and keeps the runs that are whole",
                    folder->path_of("manifest.json"), error.what()));
  }
}

void write_manifest(const Store& store, const Manifest& manifest) {
  store.write("manifest.json", manifest_text(manifest));
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
