#include "harness/sweep/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/config/expand.hpp"
#include "harness/config/schema.hpp"
#include "harness/judge/catalog.hpp"
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

const Machine kMachine{"commit1", "a cpu, fast", 2, "g++"};

TEST(Rows, cells_are_empty_where_the_method_does_not_use_the_key) {
  RunSpec spec;
  spec.method = "federboost";
  const auto cell = [&](const char* name) {
    return run_columns().cell(error_record(spec, "id", "why", kMachine).run, name);
  };
  EXPECT_EQ(cell("eps_pp"), "1");
  EXPECT_EQ(cell("federboost.buckets"), "0");
  EXPECT_EQ(cell("train.rounds"), "60");
  for (const char* name : {"eps_ap", "delta_ap", "privacy_unit", "mu", "W", "mode", "smm.rank"}) {
    EXPECT_EQ(cell(name), "") << name;
  }
  EXPECT_EQ(cell("status"), "error");
  EXPECT_EQ(cell("reason"), "why");
  spec.method = "masked";
  EXPECT_EQ(cell("delta_pp"), "1/n");
  EXPECT_EQ(cell("privacy_unit"), "record");
  EXPECT_EQ(cell("mode"), "collapsed");
}

TEST(Rows, every_key_that_a_run_has_is_a_column) {
  for (const auto& key : schema()) {
    const std::string column = column_of_key(key.name);
    if (column.empty()) continue;
    RunSpec spec;
    EXPECT_EQ(run_columns().cell(run_record(spec, "id", {}, 1, kMachine).run, column),
              method_uses(spec.method, key.name) ? key.get(spec) : "")
        << key.name;
  }
  EXPECT_EQ(column_of_key("repeats"), "");
  EXPECT_EQ(column_of_key("seeds.noise"), "");
}

TEST(Rows, numbers_keep_every_digit_and_skips_have_no_value) {
  RunSpec spec;
  spec.train.rounds = 3;
  RunResult result;
  result.provenance = {"file", "beef", "cpu", "none"};
  result.metrics = {{"test_auc", 0.1 + 0.2, "", 0, "ok", ""},
                    {"bit_match", 9, "", -1, "skip", "no B"}};
  const auto record = run_record(spec, "id", result, 1.5, kMachine);
  EXPECT_EQ(run_columns().cell(record.run, "train.rounds"), "3");
  EXPECT_EQ(run_columns().cell(record.run, "sha256"), "beef");
  ASSERT_EQ(record.numbers.size(), 3u);
  const auto cell = [&](size_t row, const char* name) {
    return number_columns().cell(record.numbers[row], name);
  };
  EXPECT_EQ(cell(0, "metric"), "run_seconds");
  EXPECT_EQ(cell(0, "value"), "1.5");
  EXPECT_EQ(cell(1, "value"), "0.30000000000000004");
  EXPECT_EQ(cell(1, "round"), "0");
  EXPECT_EQ(cell(2, "value"), "");
  EXPECT_EQ(cell(2, "status"), "skip");
  EXPECT_EQ(cell(2, "round"), "");
}

TEST(Rows, what_a_number_is_about_has_columns_of_its_own) {
  RunResult result;
  const privacy::Reading reading{privacy::Scope::level, privacy::Unit::vector,
                                 privacy::Composition::gdp, privacy::MuKind::label,
                                 privacy::Theorem3Kind::tight};
  result.metrics = {{"eps_other", 2, "", -1, "ok", "", {Party::pp, "", "wire", reading, 1e-5}},
                    {"message_bytes", 8, "bytes", -1, "ok", "", {Party::ap, "noise"}},
                    {"query_bit_auc", 0.5, "", -1, "ok", "", {.queries = 10}}};
  const auto numbers = run_record({}, "id", result, 1, kMachine).numbers;
  std::string text;
  for (const auto& row : numbers) append_csv(text, row);
  EXPECT_EQ(text,
            "id,,run_seconds,,,,,,,,,,,1,s,ok,\n"
            "id,,eps_other,PP,,wire,,level,vector,gdp,label,tight,1e-05,2,,ok,\n"
            "id,,message_bytes,AP,noise,,,,,,,,,8,bytes,ok,\n"
            "id,,query_bit_auc,,,,10,,,,,,,0.5,,ok,\n");
}

TEST(Store, knows_how_a_run_ended) {
  TempDir dir;
  const Store store(dir / "o", "w");
  EXPECT_FALSE(store.state("aa"));
  store.save("aa", run_record({}, "aa", {}, 2.5, kMachine));
  store.save("bb", error_record({}, "bb", "out of \"luck\"", kMachine));
  EXPECT_TRUE(store.state("aa")->ok);
  EXPECT_EQ(store.state("aa")->seconds, 2.5);
  EXPECT_FALSE(store.state("bb")->ok);
  EXPECT_EQ(store.state("bb")->reason, "out of \"luck\"");
  store.forget_failed("aa");
  store.forget_failed("bb");
  EXPECT_TRUE(store.state("aa"));
  EXPECT_FALSE(store.state("bb"));
}

std::vector<CsvRow> rows_of(const std::string& path) {
  const std::string text = read_file(path);
  CsvReader reader(text);
  std::vector<CsvRow> out;
  for (CsvRow row; reader.next(row);) out.push_back(row);
  return out;
}

TEST(Store, a_run_of_several_configs_has_a_line_for_each_and_its_numbers_once) {
  TempDir dir;
  const Store store(dir / "o", "w");
  RunSpec spec;
  spec.name = "one";
  const std::vector<PlanEntry> plan = {
      {"one", "aa", 0, "", "", 1}, {"two", "aa", 4, "", "", 1}, {"two", "bb", 0, "", "", 1}};
  const auto expect_both = [&] {
    const auto runs = rows_of(store.runs_path()), numbers = rows_of(store.results_path());
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0], run_columns().names());
    EXPECT_EQ(run_columns().cell(runs[1], "config"), "one");
    EXPECT_EQ(run_columns().cell(runs[2], "config"), "two");
    EXPECT_EQ(run_columns().cell(runs[2], "repeat"), "4");
    ASSERT_EQ(numbers.size(), 2u);
    EXPECT_EQ(numbers[0], number_columns().names());
    EXPECT_EQ(number_columns().cell(numbers[1], "run"), "aa");
  };
  store.rebuild(plan);
  store.publish("aa", run_record(spec, "aa", {}, 1, kMachine), plan);
  expect_both();
  store.rebuild(plan);
  expect_both();
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
