#include "harness/sweep/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/base/file.hpp"
#include "harness/base/table.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

constexpr size_t kMostLines = 40;
// As many as the terminal is wide: who attacks wants to see the attack first.
const std::vector<std::string> kShown = {"test_auc",         "attack_auc",      "bit_match",
                                         "seconds_per_tree", "attack_accuracy", "run_seconds"};

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

using Places = std::map<std::string, std::set<size_t>>;  // of a run: its groups

// In the order in which groups first occur in the plan.
Places place_runs(std::span<const PlanEntry> plan, Groups& groups) {
  std::map<std::string, size_t> of_title;
  Places of_run;
  bool many = false;
  for (const auto& entry : plan) many |= entry.config != plan[0].config;
  for (const auto& entry : plan) {
    const std::string title = (many ? entry.config + ": " : "") + entry.group;
    const auto [place, added] = of_title.emplace(title, groups.size());
    if (added) groups.push_back({title, {}, 0});
    of_run[entry.run].insert(place->second);
  }
  return of_run;
}

void count_failed(const Store& store, const Places& of_run, Groups& groups) {
  for (const auto& [run, places] : of_run) {
    const auto state = store.state(run);
    if (!state || state->ok) continue;
    for (const size_t place : places) ++groups[place].failed;
  }
}

void read_results(const std::string& text, const Places& of_run, Groups& groups) {
  const Columns& columns = number_columns();
  const size_t round = columns.at("round"), metric = columns.at("metric");
  const size_t value = columns.at("value"), status = columns.at("status"), run = columns.at("run");
  CsvReader reader(text);
  CsvRow row;
  reader.next(row);
  while (reader.next(row)) {
    if (row.size() != columns.count() || !row[round].empty() || row[status] != "ok") continue;
    if (std::ranges::find(kShown, row[metric]) == kShown.end()) continue;
    const auto places = of_run.find(row[run]);
    if (places == of_run.end()) continue;
    for (const size_t place : places->second)
      groups[place].metrics[row[metric]].add(std::atof(row[value].c_str()));
  }
}

}  // namespace

std::string summary_table(const Store& store, std::span<const PlanEntry> plan, size_t width) {
  Groups groups;
  const auto of_run = place_runs(plan, groups);
  count_failed(store, of_run, groups);
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
