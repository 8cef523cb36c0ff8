// `maskbench show --metrics`: the data dictionary.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/table.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/sweep/dictionary.hpp"
#include "harness/sweep/store.hpp"

namespace maskbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kName = 26, kUnit = 9, kEach = 15;  // columns of the terminal

void print_entry(const std::string& head, const std::string& meaning) {
  fmt::print("{}\n{}", head.substr(0, head.find_last_not_of(' ') + 1),
             wrapped("    " + meaning, kPageWidth));
}

void print_columns(const char* table, const char* what) {
  fmt::print("{}: {}\n{:<{}} {:<{}} computed by\n", table, what, "column", kName, "unit", kUnit);
  for (const auto& entry : column_entries()) {
    if (entry.table != table) continue;
    print_entry(fmt::format("{:<{}} {:<{}} {}", entry.name, kName, entry.unit, kUnit, entry.from),
                entry.meaning);
  }
  fmt::print("\n");
}

}  // namespace

void print_metrics() {
  print_columns(Store::kRuns, "a line for each run of each config");
  print_columns(Store::kNumbers, "a line for each number that a run measured");
  fmt::print("metrics of {}\n{:<{}} {:<{}} {:<{}} computed by\n", Store::kNumbers, "metric", kName,
             "unit", kUnit, "for each", kEach);
  for (const auto& entry : metric_entries()) {
    const std::string by =
        entry.by.empty() ? "" : fmt::format("; columns: {}", join(entry.by, ", "));
    print_entry(fmt::format("{:<{}} {:<{}} {:<{}} {}", entry.name, kName, entry.unit, kUnit,
                            entry.each, kEach, entry.from),
                entry.meaning + by);
  }
}

void print_metrics_json() {
  Json columns = Json::array(), metrics = Json::array();
  for (const auto& entry : column_entries())
    columns.push_back({{"table", entry.table},
                       {"name", entry.name},
                       {"unit", entry.unit},
                       {"from", entry.from},
                       {"meaning", entry.meaning}});
  for (const auto& entry : metric_entries())
    metrics.push_back({{"name", entry.name},
                       {"unit", entry.unit},
                       {"each", entry.each},
                       {"by", entry.by},
                       {"from", entry.from},
                       {"meaning", entry.meaning}});
  fmt::print("{}\n", Json{{"columns", columns}, {"metrics", metrics}}.dump(1));
}

}  // namespace maskbench
