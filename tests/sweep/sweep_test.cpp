#include "harness/sweep/sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/file.hpp"
#include "tests/support/fake.hpp"

namespace maskbench {
namespace {

using testing::fake_execute;
using testing::sorted_rows;
using testing::TempDir;
using testing::what_of;

const char* kYaml = R"(
train: {rounds: 3}
repeats: 2
axes:
  method: [nonprivate, masked, smm]
  privacy.eps_ap: [1, 2]
)";

class ListQueue : public WorkQueue {
 public:
  explicit ListQueue(std::vector<size_t> items) : items_(std::move(items)) {}
  std::optional<size_t> next() override {
    return position_ < items_.size() ? std::optional(items_[position_++]) : std::nullopt;
  }

 private:
  std::vector<size_t> items_;
  size_t position_ = 0;
};

struct Outcome : SweepOutcome {
  size_t executed = 0;
};

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() : config_(dir_.write("c.yaml", kYaml)) {
    options_.dir = dir_ / "out";
    options_.machine = {"commit1", "cpu", 1, "g++"};
  }

  Outcome sweep() {
    Progress progress(null_, {});
    Sweep sweep(load_plan(config_, {overrides_, false, options_.data_dir}), options_);
    ListQueue queue(sweep.prepare(progress));
    size_t executed = 0;
    sweep.work(
        queue,
        [&](const RunSpec& spec, const ExecuteContext& context) {
          ++executed;
          return executor_(spec, context);
        },
        progress);
    aside_ = sweep.settled().aside;
    return {sweep.finish(), executed};
  }

  std::string results() const { return options_.dir + "/results.csv"; }
  std::string runs() const { return options_.dir + "/runs.csv"; }

  TempDir dir_;
  std::string config_;
  std::vector<std::string> overrides_;
  SweepOptions options_;
  std::string aside_;
  Executor executor_ = fake_execute;
  std::FILE* null_ = std::fopen("/dev/null", "w");
};

TEST_F(SweepTest, failed_runs_are_rows_and_the_others_go_on) {
  const auto outcome = sweep();
  EXPECT_EQ(outcome.planned, 8u);  // 2 nonprivate, 4 masked, 2 smm
  EXPECT_EQ(outcome.ok, 6u);
  EXPECT_EQ(outcome.failed, 2u);
  int errors = 0;
  for (const auto& row : sorted_rows(results())) {
    errors += row.ends_with(",error,\"no \"\"basis\"\", sorry at all\"\n");
  }
  EXPECT_EQ(errors, 2);
}

TEST_F(SweepTest, a_second_start_runs_nothing_and_retry_runs_the_failed) {
  sweep();
  const auto before = read_file(results()) + read_file(runs());
  EXPECT_NE(before.find("error"), std::string::npos);
  EXPECT_EQ(sweep().executed, 0u);
  EXPECT_EQ(read_file(results()) + read_file(runs()), before);
  options_.retry = true;
  EXPECT_EQ(sweep().executed, 2u);
  setenv("FAKE_SMM_WORKS", "1", 1);
  const auto healed = sweep();
  unsetenv("FAKE_SMM_WORKS");
  EXPECT_EQ(healed.executed, 2u);
  EXPECT_EQ(healed.failed, 0u);
  EXPECT_EQ(read_file(runs()).find("error"), std::string::npos);
}

TEST_F(SweepTest, rows_are_in_the_results_as_soon_as_a_run_ends) {
  Progress progress(null_, {});
  Sweep sweep(load_plan(config_, {}), options_);
  ListQueue queue(sweep.prepare(progress));
  std::vector<size_t> sizes;
  const auto executor = [&](const RunSpec& spec, const ExecuteContext& context) {
    sizes.push_back(sorted_rows(results()).size());
    return fake_execute(spec, context);
  };
  sweep.work(queue, executor, progress);
  // 3 rounds, the last again, one skipped, the run itself: 6 rows a run.
  EXPECT_EQ(sizes, (std::vector<size_t>{0, 6, 12, 18, 24, 30, 36, 37}));
  const auto appended = sorted_rows(results());
  sweep.finish();
  EXPECT_EQ(sorted_rows(results()), appended);
}

TEST_F(SweepTest, another_commit_is_noticed) {
  sweep();
  options_.machine.commit = "commit2";
  const std::string remedy =
      "; use --resume to go on and keep the finished runs that belong, --force to run all of this "
      "config "
      "again, --fresh to move the old results aside, or another --out";
  EXPECT_EQ(what_of([&] { sweep(); }),
            options_.dir + ": holds results of another commit (commit1, now commit2)" + remedy);
  options_.existing = Existing::kResume;
  EXPECT_EQ(sweep().executed, 0u);
  options_.existing = Existing::kRefuse;
  EXPECT_EQ(sweep().executed, 0u);
}

TEST_F(SweepTest, another_config_is_noticed_and_resume_keeps_what_belongs) {
  sweep();
  overrides_ = {"repeats=3"};
  EXPECT_NE(what_of([&] {
              sweep();
            }).find("another config (8 of the 12 runs now asked for are the same)"),
            std::string::npos);
  options_.existing = Existing::kResume;
  EXPECT_EQ(sweep().executed, 4u);
  overrides_ = {"repeats=1"};
  const auto fewer = sweep();
  EXPECT_EQ(fewer.executed, 0u);
  EXPECT_EQ(fewer.planned, 4u);
  EXPECT_EQ(sorted_rows(results()).size(), 3 * 6u + 1);
}

TEST_F(SweepTest, another_data_directory_is_noticed) {
  sweep();
  options_.data_dir = dir_ / "data";
  EXPECT_NE(what_of([&] { sweep(); }).find("another data directory (none, now "),
            std::string::npos);
}

// Rows of a file are drawn by the seed, so that each repeat loads it.
TEST_F(SweepTest, a_file_edited_between_two_runs_fails_the_second_and_resume_does_all_anew) {
  std::filesystem::create_directory(dir_ / "data");
  options_.data_dir = dir_ / "data";
  std::string table = "label,x,y\n";
  for (int i = 0; i < 50; ++i) table += std::to_string(i % 2) + "," + std::to_string(i) + ",1\n";
  dir_.write("data/adult.csv", table);
  config_ = dir_.write("c.yaml", "data: {rows: 40}\ntrain: {rounds: 1}\nrepeats: 2\n");
  executor_ = [&](const RunSpec& spec, const ExecuteContext& context) {
    if (spec.repeat == 1) dir_.write("data/adult.csv", table + "0,50,1\n");
    return execute(spec, context);
  };
  const auto cut_short = sweep();
  EXPECT_EQ(cut_short.ok, 1u);
  EXPECT_EQ(cut_short.failed, 1u);
  EXPECT_NE(read_file(runs()).find(options_.data_dir +
                                   "/adult.csv: the data has changed since this was planned"),
            std::string::npos);
  EXPECT_NE(what_of([&] { sweep(); }).find("holds results of other data (adult: file "),
            std::string::npos);
  options_.existing = Existing::kResume;
  const auto anew = sweep();
  EXPECT_EQ(anew.executed, 2u);
  EXPECT_EQ(anew.ok, 2u);
  EXPECT_EQ(testing::finished_runs(options_.dir).size(), 4u);
}

TEST_F(SweepTest, fresh_moves_aside_and_force_runs_again) {
  sweep();
  const auto rows = sorted_rows(results());
  options_.existing = Existing::kFresh;
  EXPECT_EQ(sweep().executed, 8u);
  EXPECT_EQ(sorted_rows(aside_ + "/results.csv"), rows);
  EXPECT_TRUE(std::filesystem::exists(aside_ + "/manifest.json"));
  options_.existing = Existing::kForce;
  EXPECT_EQ(sweep().executed, 8u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(aside_ + "/runs"), {}), 8);
  EXPECT_EQ(sorted_rows(results()), rows);
  options_.shard = {0, 2};
  options_.existing = Existing::kFresh;
  EXPECT_EQ(what_of([&] { sweep(); }),
            "--fresh would move other shards' results too; use another --out");
}

TEST_F(SweepTest, shards_share_a_directory_and_give_the_same_file) {
  sweep();
  const std::string whole = results();
  options_.dir = dir_ / "shared";
  size_t executed = 0;
  for (size_t i = 0; i < 3; ++i) {
    options_.shard = {i, 3};
    executed += sweep().executed;
  }
  EXPECT_EQ(executed, 8u);
  EXPECT_EQ(sorted_rows(results()), sorted_rows(whole));
}

TEST_F(SweepTest, two_processes_do_not_work_on_one_directory) {
  const Sweep other(load_plan(config_, {}), options_);
  const std::string busy = options_.dir + ": another maskbench is at work there";
  EXPECT_TRUE(what_of([&] { sweep(); }).starts_with(busy));
  options_.shard = {0, 2};
  EXPECT_TRUE(what_of([&] { sweep(); }).starts_with(busy));
}

TEST_F(SweepTest, two_shards_work_together_but_not_the_same_one_twice) {
  options_.shard = {0, 2};
  const Sweep first(load_plan(config_, {}), options_);
  EXPECT_NE(what_of([&] { sweep(); }), "no Error");
  options_.shard = {1, 2};
  EXPECT_EQ(sweep().executed, 4u);
}

TEST_F(SweepTest, a_run_in_two_included_configs_is_done_once) {
  dir_.write("a.yaml", "name: first\nseed: 5\ntrain: {rounds: 3}\n");
  dir_.write("b.yaml", "name: second\nseed: 4\nrepeats: 2\ntrain: {rounds: 3}\n");
  config_ = dir_.write("p.yaml", "include: [a.yaml, b.yaml]\n");
  const auto outcome = sweep();
  EXPECT_EQ(outcome.executed, 2u);
  const auto rows = sorted_rows(results());
  EXPECT_EQ(rows.size(), 2 * 5u + 3);  // the numbers of two runs, three lines of runs.csv
  const auto lines_of_config = [&](const char* name) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.find(fmt::format(",{},", name)) != std::string::npos;
    });
  };
  EXPECT_EQ(lines_of_config("first"), 1);
  EXPECT_EQ(lines_of_config("second"), 2);
}

TEST_F(SweepTest, leftovers_of_a_killed_process_are_gone_before_the_first_run) {
  sweep();
  const std::string leftover = dir_.write("out/runs/.abc.single.tmp", "half a r");
  append_file(results(), "torn li");
  Progress progress(null_, {});
  Sweep next(load_plan(config_, {}), options_);
  EXPECT_TRUE(next.prepare(progress).empty());
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_EQ(read_file(results()).find("torn"), std::string::npos);
}

TEST_F(SweepTest, a_stop_between_trees_keeps_what_is_finished) {
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  Progress progress(null_, {});
  {
    Sweep sweep(load_plan(config_, {}), options_);
    ListQueue queue(sweep.prepare(progress));
    int started = 0;
    const auto executor = [&](const RunSpec& spec, const ExecuteContext& context) {
      if (++started == 3) stop = true;
      return fake_execute(spec, context);
    };
    sweep.work(queue, executor, progress);
    const auto outcome = sweep.finish();
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(outcome.ok, 2u);
  }
  stop = false;
  EXPECT_EQ(sweep().executed, 6u);
}

}  // namespace
}  // namespace maskbench
