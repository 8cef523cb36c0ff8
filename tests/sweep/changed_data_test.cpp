// Data that is edited, appears or goes away between the runs of a sweep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/base/sha256.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

// With the real executor: the fake one loads no data.
class ChangedData : public ::testing::Test {
 protected:
  ChangedData() {
    std::filesystem::create_directory(dir_ / "data");
    config_ = dir_.write("c.yaml", R"(
name: c
data: {dataset: adult, rows: 60}
train: {rounds: 1, max_depth: 2}
repeats: 2
)");
    write_table(0);
  }

  // 100 rows, 30 of them positive.
  std::string write_table(int shift) {
    std::string text = "label,x,y\n";
    for (int i = 0; i < 100; ++i) {
      text += fmt::format("{},{},{}\n", i % 10 < 3 ? 1 : 0, i + shift, i * 7 % 13);
    }
    dir_.write("data/adult.csv", text);
    return sha256_of_text(text);
  }

  Ended run(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"run", config_, "--out", dir_ / out};
    args.insert(args.end(), more.begin(), more.end());
    return maskbench(dir_, args, kReal);
  }
  Ended run_on_file(const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--data-dir", dir_ / "data"});
    return run(out, more);
  }

  bool results_hold(const std::string& out, const std::string& text) const {
    return read_file(dir_ / (out + "/runs.csv")).find(text) != std::string::npos;
  }

  TempDir dir_;
  std::string config_;
};

TEST_F(ChangedData, an_edited_file_is_refused_and_resume_keeps_the_old_runs_apart) {
  const std::string first = write_table(0);
  ASSERT_EQ(run_on_file("out").code, 0);
  const auto old_runs = finished_runs(dir_ / "out");
  const std::string second = write_table(5);
  const auto refused = run_on_file("out");
  EXPECT_EQ(refused.code, 1);
  const std::string what =
      fmt::format("holds results of other data (adult: file {}, now file {}; 0 of the 2 runs now",
                  first.substr(0, 8), second.substr(0, 8));
  EXPECT_NE(refused.err.find(what), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("use --resume"), std::string::npos) << refused.err;
  EXPECT_TRUE(results_hold("out", first));

  const auto resumed = run_on_file("out", {"--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(finished_runs(dir_ / "out").size(), 4u);
  for (const auto& run : old_runs) {
    EXPECT_TRUE(finished_runs(dir_ / "out").contains(run));
    EXPECT_NE(read_file(dir_ / ("out/runs/" + run + ".csv")).find(first), std::string::npos);
    EXPECT_FALSE(results_hold("out", run));
  }
  EXPECT_TRUE(results_hold("out", second));
  EXPECT_FALSE(results_hold("out", first));
}

TEST_F(ChangedData, update_sets_the_results_of_the_old_data_aside) {
  ASSERT_EQ(run_on_file("out").code, 0);
  const std::string second = write_table(5);
  const auto updated = run_on_file("out", {"--update"});
  EXPECT_EQ(updated.code, 0) << updated.err;
  EXPECT_NE(updated.err.find("old results are now in "), std::string::npos) << updated.err;
  EXPECT_EQ(finished_runs(dir_ / "out").size(), 2u);
  EXPECT_TRUE(results_hold("out", second));
}

TEST_F(ChangedData, merge_refuses_real_with_synthetic_and_force_keeps_both) {
  const std::string real = write_table(0).substr(0, 8);
  ASSERT_EQ(run_on_file("real").code, 0);
  ASSERT_EQ(run("synthetic").code, 0);
  std::vector<std::string> merge = {"merge", dir_ / "real", dir_ / "synthetic", "--out",
                                    dir_ / "all"};
  const auto refused = maskbench(dir_, merge);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err,
            fmt::format("maskbench: {}: made from other data than those before it (adult: file {} "
                        "there, here synthetic); give all the same data, or --force keeps the runs "
                        "of both\n",
                        dir_ / "synthetic", real));
  merge.push_back("--force");
  EXPECT_TRUE(maskbench(dir_, merge).out.starts_with("4 of 4 runs done, 0 failed\n"));
  EXPECT_TRUE(results_hold("all", ",file,"));
  EXPECT_TRUE(results_hold("all", ",synthetic,"));
}

TEST_F(ChangedData, shards_and_show_agree_on_the_ids) {
  ASSERT_EQ(run_on_file("whole").code, 0);
  EXPECT_EQ(run_on_file("parts", {"--shard", "1/2"}).code, 0);
  EXPECT_EQ(run_on_file("parts", {"--shard", "2/2"}).code, 0);
  EXPECT_EQ(run_on_file("team", {"--workers", "2"}).code, 0);
  const auto whole = finished_runs(dir_ / "whole");
  EXPECT_EQ(finished_runs(dir_ / "parts"), whole);
  EXPECT_EQ(finished_runs(dir_ / "team"), whole);
  for (const auto& id : whole) {
    const auto shown = maskbench(dir_, {"show", config_, "--data-dir", dir_ / "data", "--run", id});
    EXPECT_NE(shown.out.find("data.content=file " + write_table(0)), std::string::npos);
  }
}

}  // namespace
}  // namespace maskbench::testing
