#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/sha256.hpp"
#include "harness/party/output.hpp"
#include "harness/sweep/manifest.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Part {
  std::string dir;
  Json info;
  std::vector<CsvRow> rows;

  std::string text(const char* key) const { return info.at(key).get<std::string>(); }
  double value(const char* metric) const {
    for (const CsvRow& row : rows) {
      if (row[column("metric")] == metric) return std::atof(row[column("value")].c_str());
    }
    return 0;
  }
};

Part read_part(const std::string& dir) {
  Part part{dir, {}, {}};
  try {
    part.info = Json::parse(read_file(dir + "/party.json"));
    if (part.info.at("format") != "maskbench-party-1") throw Error("of another version");
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}/party.json: not a party's: {}", dir, error.what()));
  }
  const std::string text = read_file(dir + "/results.csv");
  CsvReader reader(text);
  CsvRow row;
  if (!reader.next(row) || row != columns())
    throw Error(dir + "/results.csv: of another version of maskbench");
  while (reader.next(row)) {
    if (row.size() != columns().size()) throw Error(dir + "/results.csv: is cut off");
    part.rows.push_back(row);
  }
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
  for (CsvRow& row : rows) {
    if (row[column("metric")] != "seconds_per_tree_waiting") continue;
    const double all = std::atof(row[column("value")].c_str());
    row[column("value")] = fmt::format("{}", std::max(0.0, all - pp.value("seconds_per_tree_pp")));
  }
}

std::vector<CsvRow> joined_rows(const Part& ap, const Part& pp, const std::string& id) {
  std::vector<CsvRow> rows = ap.rows;
  const std::string backend = ap.rows.front()[column("backend")];
  split_waiting(pp, rows);
  for (const CsvRow& row : pp.rows) {
    if (row[column("metric")] != "run_seconds") rows.push_back(row);
  }
  for (CsvRow& row : rows) {
    row[column("run")] = id;
    row[column("backend")] = backend;
    row[column("sha256")] = ap.text("data_sha256") + "+" + pp.text("data_sha256");
  }
  return rows;
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
    const std::string method = ap.rows.front()[column("method")];
    manifest.plan.push_back({ap.text("config"), id, ap.info.at("repeat"), ap.text("group"),
                             method + " two parties", ap.value("run_seconds")});
  }
  store.save(id, joined_rows(ap, pp, id));
  const fs::path model = fs::path(out) / "models" / id;
  fs::create_directories(model);
  for (const Part* part : {&ap, &pp}) {
    const char* name = part == &ap ? "ap.json" : "pp.json";
    fs::copy_file(fs::path(part->dir) / "model" / name, model / name,
                  fs::copy_options::overwrite_existing);
  }
  write_manifest(store, manifest);
  store.rebuild(manifest.plan);
  fmt::print("run {}: both parties' parts put together\nmodel: {}\nresults: {}\n", id,
             model.string(), store.results_path());
}

}  // namespace maskbench
