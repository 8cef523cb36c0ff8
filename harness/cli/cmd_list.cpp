#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/config_args.hpp"
#include "harness/config/schema.hpp"
#include "harness/data/data_source.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {
namespace {

using Json = nlohmann::ordered_json;

struct ListArgs {
  std::string data_dir;
  bool json = false;
};

template <class Entry>
void print_entry(const Entry& entry, const std::string& here) {
  fmt::print("  {:<22}{}{}\n", entry.id, entry.what, here.empty() ? "" : " [" + here + "]");
}

template <class Entry>
void print_section(const char* title, const std::vector<Entry>& entries) {
  fmt::print("{}\n", title);
  for (const auto& entry : entries) {
    print_entry(entry, entry.unavailable.empty() ? "" : "not here: " + entry.unavailable);
  }
}

void list(const std::string& data_dir) {
  print_section("methods", methods());
  print_section("attacks", attacks());
  fmt::print("datasets\n");
  for (const auto& entry : datasets()) {
    const std::string file = find_data_file(entry.id, data_dir);
    print_entry(entry, fmt::format("{} x {}, {}", entry.rows, entry.features,
                                   file.empty() ? "synthetic" : file));
  }
  print_section("backends", backends());
}

template <class Entry>
Json json_section(const std::vector<Entry>& entries) {
  Json out = Json::array();
  for (const auto& entry : entries) {
    out.push_back({{"name", entry.id}, {"what", entry.what}, {"unavailable", entry.unavailable}});
  }
  return out;
}

Json json_datasets(const std::string& data_dir) {
  Json out = Json::array();
  for (const auto& entry : datasets()) {
    out.push_back({{"name", entry.id},
                   {"what", entry.what},
                   {"rows", entry.rows},
                   {"features", entry.features},
                   {"positive_rate", entry.positive_rate},
                   {"file", find_data_file(entry.id, data_dir)}});
  }
  return out;
}

Json json_keys() {
  Json out = Json::array();
  for (const auto& key : schema()) {
    out.push_back({{"name", key.name},
                   {"default", default_text(key)},
                   {"allowed", key.allowed},
                   {"help", key.help}});
  }
  return out;
}

void list_json(const std::string& data_dir) {
  const Json all = {
      {"methods", json_section(methods())},
      {"attacks", json_section(attacks())},
      {"datasets", json_datasets(data_dir)},
      {"backends", json_section(backends())},
      {"keys", json_keys()},
      {"columns",
       {{Store::kRuns, run_columns().names()}, {Store::kNumbers, number_columns().names()}}}};
  fmt::print("{}\n", all.dump(1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void add_list(CLI::App& app) {
  auto args = std::make_shared<ListArgs>();
  auto* command = app.add_subcommand(
      "list", "List methods, attacks, datasets and backends, and what is available here");
  add_data_dir(*command, args->data_dir);
  command->add_flag("--json", args->json,
                    "for programs; also the keys of a config and the columns of results");
  command->callback([args] { args->json ? list_json(args->data_dir) : list(args->data_dir); });
}

}  // namespace maskbench
