#include "harness/sweep/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/config/expand.hpp"
#include "harness/sweep/rows.hpp"
#include "tests/support/fake.hpp"

namespace maskbench {
namespace {

using testing::TempDir;

TEST(Csv, round_trips_any_text) {
  const std::vector<CsvRow> rows = {
      {"a", "b,c", "d\"e"}, {"", "", ""}, {"line\nend", "cr\rx", "\"\""}};
  std::string text;
  for (const auto& row : rows) append_csv(text, row);
  EXPECT_EQ(text, "a,\"b,c\",\"d\"\"e\"\n,,\n\"line\nend\",\"cr\rx\",\"\"\"\"\"\"\n");
  CsvReader reader(text);
  CsvRow row;
  for (const auto& expected : rows) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row, expected);
  }
  EXPECT_FALSE(reader.next(row));
}

TEST(Csv, reads_crlf) {
  CsvReader reader("a,b\r\nc,d\r\n");
  CsvRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, (CsvRow{"a", "b"}));
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, (CsvRow{"c", "d"}));
  EXPECT_FALSE(reader.next(row));
}

const Machine kFastMachine{"commit1", "a cpu, fast", 2, "g++"};

std::string cell(const CsvRow& row, const std::string& name) {
  return row.at(column(name));
}

TEST(Rows, privacy_cells_are_empty_where_the_method_has_no_budget) {
  RunSpec spec;
  spec.method = "federboost";
  const auto row = error_row(spec, "id", "why", kFastMachine);
  EXPECT_EQ(cell(row, "eps_pp"), "1");
  for (const char* name : {"eps_ap", "delta_ap", "privacy_unit", "mu", "W", "mode", "metric"}) {
    EXPECT_EQ(cell(row, name), "") << name;
  }
  spec.method = "masked";
  const auto masked = error_row(spec, "id", "why", kFastMachine);
  EXPECT_EQ(cell(masked, "delta_pp"), "1/n");
  EXPECT_EQ(cell(masked, "privacy_unit"), "record");
  EXPECT_EQ(cell(masked, "mode"), "collapsed");
}

TEST(Rows, metrics_keep_every_digit_and_skips_have_no_value) {
  RunSpec spec;
  spec.train.rounds = 3;
  spec.masked.orient = Orient::smaller;  // not used by nonprivate: no parameter of its rows
  RunResult result;
  result.provenance = {"file", "beef", "cpu", "none"};
  result.metrics = {{"test_auc", 0.1 + 0.2, "", 0, "ok", ""},
                    {"bit_match", 9, "", -1, "skip", "no B"}};
  const auto rows = result_rows(spec, "id", result, 1.5, kFastMachine);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(cell(rows[0], "metric"), "run_seconds");
  EXPECT_EQ(cell(rows[0], "value"), "1.5");
  EXPECT_EQ(cell(rows[1], "value"), "0.30000000000000004");
  EXPECT_EQ(cell(rows[1], "round"), "0");
  EXPECT_EQ(cell(rows[1], "params"), "train.rounds=3");
  EXPECT_EQ(cell(rows[2], "value"), "");
  EXPECT_EQ(cell(rows[2], "status"), "skip");
  EXPECT_EQ(cell(rows[2], "round"), "");
}

TEST(Store, knows_how_a_run_ended) {
  TempDir dir;
  const Store store(dir / "o", "w");
  EXPECT_FALSE(store.state("aa"));
  store.save("aa", result_rows({}, "aa", {}, 2.5, kFastMachine));
  store.save("bb", std::vector<CsvRow>{error_row({}, "bb", "out of \"luck\"", kFastMachine)});
  EXPECT_TRUE(store.state("aa")->ok);
  EXPECT_EQ(store.state("aa")->seconds, 2.5);
  EXPECT_FALSE(store.state("bb")->ok);
  EXPECT_EQ(store.state("bb")->reason, "out of \"luck\"");
  store.forget_failed("aa");
  store.forget_failed("bb");
  EXPECT_TRUE(store.state("aa"));
  EXPECT_FALSE(store.state("bb"));
}

TEST(Store, a_run_can_stand_for_several_configs) {
  TempDir dir;
  const Store store(dir / "o", "w");
  RunSpec spec;
  spec.name = "one";
  store.save("aa", result_rows(spec, "aa", {}, 1, kFastMachine));
  store.rebuild(std::vector<PlanEntry>{
      {"one", "aa", 0, "", "", 1}, {"two", "aa", 4, "", "", 1}, {"two", "bb", 0, "", "", 1}});
  const std::string text = read_file(store.results_path());
  CsvReader reader(text);
  CsvRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, columns());
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(cell(row, "config"), "one");
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(cell(row, "config"), "two");
  EXPECT_EQ(cell(row, "repeat"), "4");
  EXPECT_FALSE(reader.next(row));
}

TEST(Store, removes_leftovers_of_its_own_worker_only) {
  TempDir dir;
  const Store store(dir / "o", "shard-1-of-2");
  dir.write("o/runs/.aa.shard-1-of-2.tmp", "x");
  dir.write("o/runs/.bb.shard-2-of-2.tmp", "x");
  store.remove_temporaries(false);
  EXPECT_FALSE(std::filesystem::exists(dir / "o/runs/.aa.shard-1-of-2.tmp"));
  EXPECT_TRUE(std::filesystem::exists(dir / "o/runs/.bb.shard-2-of-2.tmp"));
  store.remove_temporaries(true);
  EXPECT_FALSE(std::filesystem::exists(dir / "o/runs/.bb.shard-2-of-2.tmp"));
}

TEST(FileLock, excludes_and_is_seen) {
  TempDir dir;
  const Folder folder = Folder::made(dir.path());
  const std::string name = "a.lock";
  const auto exclusive = [&] {
    return FileLock::try_lock(folder, name, FileLock::Kind::kExclusive);
  };
  const auto shared = [&] { return FileLock::try_lock(folder, name, FileLock::Kind::kShared); };
  {
    auto first = exclusive();
    ASSERT_TRUE(first);
    first->note("me");
    EXPECT_FALSE(shared());
    EXPECT_TRUE(FileLock::is_held(folder, name));
    EXPECT_EQ(folder.read(name), "me");
  }
  EXPECT_FALSE(FileLock::is_held(folder, name));
  auto one = shared();
  auto two = shared();
  EXPECT_TRUE(one && two);
  EXPECT_FALSE(exclusive());
}

}  // namespace
}  // namespace maskbench
