// Whatever a run emits is in the data dictionary, and the dictionary has nothing that no run emits.
#include "harness/sweep/dictionary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/config/reading.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/execute.hpp"
#include "harness/sweep/rows.hpp"

namespace maskbench {
namespace {

RunSpec small(const std::string& method, const std::string& attack) {
  RunSpec spec;
  spec.method = method;
  spec.mode = Mode::materialised;
  spec.attack.name = attack;
  spec.attack.trials = 100;
  spec.attack.train_rows = 200;
  spec.data.source = Source::synthetic;
  spec.data.rows = 200;
  spec.train.rounds = 2;
  spec.train.max_depth = 2;
  spec.train.max_bins = 4;
  spec.paillier.key_bits = 1024;
  resolve_reading(spec, {});
  return spec;
}

std::vector<RunSpec> runs() {
  std::vector<RunSpec> out;
  for (const auto& method : methods()) out.push_back(small(method.id, "none"));
  for (const auto& attack : attacks()) {
    for (const char* method : {"masked", "nonprivate", "smm"})
      out.push_back(small(method, attack.id));
  }
  out.push_back(small("local", "none"));
  out.back().train.objective = Objective::regression;
  out.push_back(small("masked", "none"));
  out.back().train.rounds = 1;
  out.back().train.max_depth = 1;
  return out;
}

class DataDictionary : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const RunSpec& spec : runs()) {
      const RunResult result = execute(spec, {});
      records_.push_back(run_record(spec, "r1", result, 1, {}));
      metrics_.insert(metrics_.end(), result.metrics.begin(), result.metrics.end());
    }
    metrics_.push_back({"run_seconds", 1, "s"});
  }
  static std::vector<RunRecord> records_;
  static std::vector<Metric> metrics_;
};
std::vector<RunRecord> DataDictionary::records_;
std::vector<Metric> DataDictionary::metrics_;

TEST_F(DataDictionary, has_every_metric_with_its_unit_and_columns) {
  std::set<std::string> missing;
  for (const Metric& metric : metrics_) missing.insert(undocumented(metric));
  missing.erase("");
  for (const auto& text : missing) ADD_FAILURE() << text;
}

TEST_F(DataDictionary, tells_what_differs) {
  EXPECT_EQ(undocumented({"nonsense", 1}), "nonsense is not in the dictionary");
  EXPECT_EQ(undocumented({"peak_rss", 1, "MB"}), "peak_rss: unit 'MB', in the dictionary 'bytes'");
  EXPECT_EQ(undocumented({"wire_bytes", 1, "bytes", -1, "ok", "", {Party::ap}}),
            "wire_bytes: columns 'party', in the dictionary ''");
  EXPECT_EQ(undocumented({"trees", 1, "", 3}), "trees: for each 'round', in the dictionary 'run'");
}

TEST_F(DataDictionary, has_no_metric_that_nothing_emits) {
  std::set<std::string> known = {"party_peak_rss"};  // of two processes: tests/party
  if (!find_attack("label-nn").unavailable.empty())
    known.insert({"attack_train_rows", "attack_epochs", "attack_inputs"});
  for (const Metric& metric : metrics_) known.insert(metric.name);
  for (const auto& entry : metric_entries()) EXPECT_TRUE(known.contains(entry.name)) << entry.name;
}

// One number has one row: no two differ only in their value.
TEST_F(DataDictionary, columns_name_a_number_completely) {
  const Columns& columns = number_columns();
  for (const RunRecord& record : records_) {
    std::set<CsvRow> seen;
    for (CsvRow row : record.numbers) {
      for (const char* name : {"value", "unit", "status", "reason"}) columns.cell(row, name) = "";
      EXPECT_TRUE(seen.insert(row).second) << columns.cell(row, "metric");
    }
  }
}

TEST_F(DataDictionary, has_every_column_and_a_meaning_for_each) {
  std::vector<std::string> listed;
  for (const auto& entry : column_entries()) {
    listed.push_back(entry.table + " " + entry.name);
    EXPECT_NE(entry.meaning, "") << entry.name;
    EXPECT_NE(entry.from, "") << entry.name;
  }
  std::vector<std::string> columns;
  for (const auto& name : run_columns().names()) columns.push_back("runs.csv " + name);
  for (const auto& name : number_columns().names()) columns.push_back("results.csv " + name);
  EXPECT_EQ(listed, columns);
  std::set<std::string> names;
  for (const auto& entry : metric_entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " twice";
    EXPECT_NE(entry.meaning, "") << entry.name;
    EXPECT_NE(entry.from, "") << entry.name;
  }
}

}  // namespace
}  // namespace maskbench
