#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.hpp"
#include "harness/cli/config_args.hpp"
#include "harness/judge/catalog.hpp"

namespace maskbench {
namespace {

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
    const std::string file = data_file(data_dir, entry.id);
    print_entry(entry, fmt::format("{} x {}, {}", entry.rows, entry.features,
                                   file.empty() ? "synthetic" : file));
  }
  print_section("backends", backends());
}

}  // namespace

void add_list(CLI::App& app) {
  auto data_dir = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "list", "List methods, attacks, datasets and backends, and what is available here");
  add_data_dir(*command, *data_dir);
  command->callback([data_dir] { list(*data_dir); });
}

}  // namespace maskbench
