#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/folder.hpp"
#include "harness/base/sha256.hpp"
#include "harness/party/output.hpp"
#include "harness/sweep/manifest.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What a party's folder says of itself. It may be a stranger's: what is used later is checked here.
Json party_info(const Folder& folder) {
  constexpr int64_t kMostRepeats = 1'000'000;
  const std::string place = folder.path_of("party.json") + ": not a party's: ";
  const auto text = folder.read("party.json");
  if (!text) throw Error(place + "there is none");
  const Json info = Json::parse(*text, nullptr, false);
  if (!info.is_object()) throw Error(place + "it is no JSON");
  const auto string = [&](const char* key) {
    return info.contains(key) && info[key].is_string() ? info[key].get<std::string>() : "";
  };
  if (string("format") != "maskbench-party-1") throw Error(place + "of another version");
  for (const char* key : {"role", "run", "config", "group", "keys", "commit", "data_sha256"}) {
    if (string(key).empty()) throw Error(fmt::format("{}'{}' is missing", place, key));
  }
  const auto repeat = info.contains("repeat") && info["repeat"].is_number_unsigned()
                          ? info["repeat"].get<uint64_t>()
                          : uint64_t{kMostRepeats};
  if (!is_plain_name(string("config")) || !is_plain_name(string("run")) || repeat >= kMostRepeats ||
      !info.contains("command") || !info["command"].is_string())
    throw Error(place + "a name or a number in it cannot be");
  return info;
}

Folder party_folder(const std::string& dir) {
  auto folder = Folder::existing(dir);
  if (!folder) throw Error(dir + ": no such directory");
  return std::move(*folder);
}

struct Part {
  std::string dir;
  Json info;
  RunRecord record;

  std::string text(const char* key) const { return info.at(key).get<std::string>(); }
  double value(const char* metric) const {
    for (const CsvRow& row : record.numbers) {
      if (number_columns().cell(row, "metric") == metric)
        return std::atof(number_columns().cell(row, "value").c_str());
    }
    return 0;
  }
};

std::vector<CsvRow> read_rows(const std::string& path, const Columns& columns) {
  const std::string text = read_file(path);
  CsvReader reader(text);
  CsvRow row;
  if (!reader.next(row) || row != columns.names())
    throw Error(path + ": of another version of maskbench");
  std::vector<CsvRow> rows;
  while (reader.next(row)) {
    if (row.size() != columns.count()) throw Error(path + ": is cut off");
    rows.push_back(row);
  }
  if (rows.empty()) throw Error(path + ": is cut off");
  return rows;
}

Part read_part(const std::string& dir) {
  Part part{dir, {}, {}};
  part.info = party_info(party_folder(dir));
  part.record.run = read_rows(dir + "/" + Store::kRuns, run_columns()).front();
  part.record.numbers = read_rows(dir + "/" + Store::kNumbers, number_columns());
  return part;
}

void check_fit(const Part& ap, const Part& pp, bool force) {
  for (const char* key : {"run", "keys"}) {
    if (ap.text(key) != pp.text(key))
      throw Error(fmt::format("{} and {} are of two different runs", ap.dir, pp.dir));
  }
  if (ap.text("commit") != pp.text("commit") && !force)
    throw Error(fmt::format("{} was made by commit {}, {} by {}; --force merges them nevertheless",
                            ap.dir, ap.text("commit"), pp.dir, pp.text("commit")));
}

// AP cannot tell PP's computing from the network; the two together can.
void split_waiting(const Part& pp, std::vector<CsvRow>& rows) {
  const Columns& columns = number_columns();
  for (CsvRow& row : rows) {
    if (columns.cell(row, "metric") != "waiting_seconds_per_tree") continue;
    std::string& value = columns.cell(row, "value");
    const double all = std::atof(value.c_str());
    value = fmt::format("{}", std::max(0.0, all - pp.value("party_seconds_per_tree")));
  }
}

RunRecord joined(const Part& ap, const Part& pp, const std::string& id) {
  RunRecord out = ap.record;
  split_waiting(pp, out.numbers);
  for (const CsvRow& row : pp.record.numbers) {
    if (number_columns().cell(row, "metric") != "run_seconds") out.numbers.push_back(row);
  }
  for (CsvRow& row : out.numbers) number_columns().cell(row, "run") = id;
  run_columns().cell(out.run, "run") = id;
  run_columns().cell(out.run, "sha256") = ap.text("data_sha256") + "+" + pp.text("data_sha256");
  return out;
}

}  // namespace

bool is_party_folder(const std::string& dir) {
  return has_output(dir);
}

void merge_parties(const std::string& one, const std::string& two, const std::string& out,
                   bool force) {
  Part ap = read_part(one), pp = read_part(two);
  if (ap.text("role") == "PP") std::swap(ap, pp);
  if (ap.text("role") != "AP" || pp.text("role") != "PP")
    throw Error(fmt::format("{} and {}: one must be AP's folder, the other PP's", one, two));
  check_fit(ap, pp, force);
  const std::string data =
      fmt::format("AP {} PP {}", ap.text("data_sha256"), pp.text("data_sha256"));
  const std::string id = sha256_of_text(ap.text("keys") + data).substr(0, 16);
  const Store store(out, "merge");
  Manifest manifest = read_manifest(out).value_or(Manifest{});
  manifest.commit = ap.text("commit");
  manifest.command = ap.text("command");
  if (std::ranges::find(manifest.plan, id, &PlanEntry::run) == manifest.plan.end()) {
    const std::string method = run_columns().cell(ap.record.run, "method");
    manifest.plan.push_back({ap.text("config"), id, ap.info.at("repeat"), ap.text("group"),
                             method + " two parties", ap.value("run_seconds")});
  }
  store.save(id, joined(ap, pp, id));
  const fs::path model = fs::path(out) / "models" / id;
  const Folder models = Folder::made(out).inside("models").inside(id);  // over no link
  for (const Part* part : {&ap, &pp}) {
    const std::string name = part == &ap ? "ap.json" : "pp.json";
    const auto text = party_folder(part->dir).inside("model").read(name);
    if (!text) throw Error(fmt::format("{}/model/{}: no such file", part->dir, name));
    models.write(name, "." + name + ".tmp", *text);
  }
  write_manifest(store, manifest);
  store.rebuild(manifest.plan);
  fmt::print("run {}: both parties' parts put together\nmodel: {}\nresults: {}\n", id,
             model.string(), store.results_path());
}

}  // namespace maskbench
