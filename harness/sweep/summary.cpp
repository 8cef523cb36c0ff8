#include "harness/sweep/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "harness/base/file.hpp"
#include "harness/base/table.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

constexpr size_t kMostLines = 40;
const std::vector<std::string> kShown = {"test_auc",   "seconds_per_tree", "attack_accuracy",
                                         "attack_auc", "bit_match",        "run_seconds"};

struct Mean {
  int count = 0;
  double sum = 0;
  double squares = 0;

  void add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  std::string text() const {
    if (count == 0) return "";
    const double mean = sum / count;
    if (count == 1) return fmt::format("{:.4g}", mean);
    const double variance = std::max(0.0, (squares - count * mean * mean) / (count - 1));
    return fmt::format("{:.4g} ± {:.1g}", mean, std::sqrt(variance));
  }
};

struct Group {
  std::string title;
  std::map<std::string, Mean> metrics;
  int failed = 0;
};

using Groups = std::vector<Group>;

// Every line of the plan with its group, in the order in which groups first occur.
std::map<std::string, size_t> place_runs(std::span<const PlanEntry> plan, Groups& groups) {
  std::map<std::string, size_t> of_title;
  std::map<std::string, size_t> of_run;
  bool many = false;
  for (const auto& entry : plan) many |= entry.config != plan[0].config;
  for (const auto& entry : plan) {
    const std::string title = (many ? entry.config + ": " : "") + entry.group;
    const auto [place, added] = of_title.emplace(title, groups.size());
    if (added) groups.push_back({title, {}, 0});
    of_run[entry.config + " " + entry.run] = place->second;
  }
  return of_run;
}

void read_results(const std::string& text, const std::map<std::string, size_t>& of_run,
                  Groups& groups) {
  const size_t run = column("run"), config = column("config"), round = column("round");
  const size_t metric = column("metric"), value = column("value"), status = column("status");
  CsvReader reader(text);
  CsvRow row;
  reader.next(row);
  while (reader.next(row)) {
    if (row.size() != columns().size() || !row[round].empty()) continue;
    const auto place = of_run.find(row[config] + " " + row[run]);
    if (place == of_run.end()) continue;
    Group& group = groups[place->second];
    if (row[metric].empty() && row[status] == "error") ++group.failed;
    if (row[status] == "ok") group.metrics[row[metric]].add(std::atof(row[value].c_str()));
  }
}

}  // namespace

std::string summary_table(const Store& store, std::span<const PlanEntry> plan, size_t width) {
  Groups groups;
  const auto of_run = place_runs(plan, groups);
  read_results(read_file(store.results_path()), of_run, groups);
  std::vector<std::string> shown;
  for (const auto& name : kShown) {
    bool present = false;
    for (const auto& group : groups) present |= group.metrics.contains(name);
    if (present) shown.push_back(name);
  }
  Table lines = {{"run"}};
  const bool any_failed = std::ranges::any_of(groups, [](const Group& g) { return g.failed > 0; });
  if (any_failed) lines[0].push_back("failed");
  lines[0].insert(lines[0].end(), shown.begin(), shown.end());
  for (auto& group : groups) {
    if (group.metrics.empty() && group.failed == 0) continue;
    auto& line = lines.emplace_back(std::vector<std::string>{group.title});
    if (any_failed) line.push_back(fmt::format("{}", group.failed));
    for (const auto& name : shown) line.push_back(group.metrics[name].text());
  }
  const size_t more = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  lines.resize(lines.size() - more);
  return table_text(lines, width) + (more > 0 ? fmt::format("and {} more\n", more) : "");
}

}  // namespace maskbench
