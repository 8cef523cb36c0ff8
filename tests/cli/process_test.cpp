// maskbench as a process: exit codes, signals, kill -9, a full disk.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "harness/base/file.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

const char* kProcessYaml = R"(
name: fake
train: {rounds: 2}
repeats: 2
axes:
  method: [nonprivate, masked, xgb-ldp]
  privacy.eps_ap: [0.5, 1, 2, 4]
)";

TEST(Process, kill_at_random_moments_loses_nothing_and_repeats_nothing) {
  TempDir dir;
  const std::string config =
      dir.write("c.yaml", std::string(kProcessYaml) + "small: {repeats: 25}\n");
  const std::vector<std::string> run = {"run", config, "--scale", "small", "--out"};
  const auto with_out = [&](const std::string& name) {
    auto args = run;
    args.push_back(dir / name);
    return args;
  };
  ASSERT_EQ(maskbench(dir, with_out("whole")).code, 0);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> delay_us(0, 12'000);
  std::uniform_int_distribution<size_t> begun(0, 3);  // so some runs finish on a slow machine too
  int killed = 0;
  for (int i = 0; i < 50; ++i) {
    const auto before = finished_runs(dir / "out");
    const std::string log = dir / ("log" + std::to_string(i));
    Process process(dir, with_out("out"), {{"FAKE_LOG", log}, {"FAKE_TREE_US", "1500"}});
    wait_for_runs(process, log, begun(random));
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
    process.signal(SIGKILL);
    killed += process.wait().code == 128 + SIGKILL;
    for (const auto& id : lines_of(log)) EXPECT_FALSE(before.contains(id)) << "ran twice: " << id;
  }
  EXPECT_EQ(killed, 50);  // none had come to its end by itself
  EXPECT_GT(finished_runs(dir / "out").size(), 20u);
  const auto last = maskbench(dir, with_out("out"));
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(sorted_rows(dir / "out/results.csv"), sorted_rows(dir / "whole/results.csv"));
  EXPECT_EQ(finished_runs(dir / "out"), finished_runs(dir / "whole"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "out")) {
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
}

TEST(Process, shards_at_the_same_time_and_merge_equal_a_single_run) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", kProcessYaml);
  ASSERT_EQ(maskbench(dir, {"run", config, "--out", dir / "whole"}).code, 0);
  const auto whole = sorted_rows(dir / "whole/results.csv");
  {
    Process one(dir, {"run", config, "--out", dir / "shared", "--shard", "1/2"},
                {{"FAKE_TREE_US", "2000"}});
    Process two(dir, {"run", config, "--out", dir / "shared", "--shard", "2/2"},
                {{"FAKE_TREE_US", "2000"}});
    EXPECT_EQ(one.wait().code, 0);
    EXPECT_EQ(two.wait().code, 0);
  }
  EXPECT_EQ(sorted_rows(dir / "shared/results.csv"), whole);
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "a", "--shard", "1/2"}).code, 0);
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "b", "--shard", "2/2"}).code, 0);
  const auto merged = maskbench(dir, {"merge", dir / "a", dir / "b", "--out", dir / "merged"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(merged.out.starts_with("18 of 18 runs done, 0 failed\n")) << merged.out;
  EXPECT_EQ(sorted_rows(dir / "merged/results.csv"), whole);
}

TEST(Process, the_first_interrupt_ends_after_the_tree_and_the_same_command_goes_on) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", kProcessYaml);
  Process process(dir, {"run", config, "--out", dir / "out"}, {{"FAKE_TREE_US", "20000"}});
  wait_for_text(process, "[1/18]");
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("runs are finished and safe; the same command goes on"),
            std::string::npos);
  EXPECT_GE(finished_runs(dir / "out").size(), 1u);
  EXPECT_LT(finished_runs(dir / "out").size(), 18u);
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "out"}).code, 0);
  EXPECT_EQ(finished_runs(dir / "out").size(), 18u);
}

TEST(Process, the_second_interrupt_ends_at_once) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", kProcessYaml);
  Process process(dir, {"run", config, "--out", dir / "out"},
                  {{"FAKE_TREE_US", "600000000"}, {"FAKE_LOG", dir / "log"}});
  wait_for_runs(process, dir / "log", 1);
  process.signal(SIGINT);
  wait_for_text(process, "once more to quit at once");
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
}

TEST(Process, a_full_disk_is_one_line_and_loses_nothing) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", kProcessYaml);
  // The manifest and a run's file fit under the limit, runs.csv soon does not.
  const auto full =
      maskbench(dir, {"run", config, "--out", dir / "out"}, {{"FAKE_FILE_LIMIT", "6000"}});
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.err.find("runs.csv: File too large"), std::string::npos) << full.err;
  const auto kept = finished_runs(dir / "out");
  EXPECT_GT(kept.size(), 1u);
  for (const char* table : {"out/runs.csv", "out/results.csv"})
    EXPECT_EQ(read_file(dir / table).back(), '\n') << table;
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "out"}).code, 0);
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "whole"}).code, 0);
  EXPECT_EQ(sorted_rows(dir / "out/results.csv"), sorted_rows(dir / "whole/results.csv"));
}

TEST(Process, errors_are_one_line_and_exit_1) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "train: {roundz: 3}\n");
  const auto bad = maskbench(dir, {"run", config});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.err, "maskbench: " + config +
                         ":1:9: unknown key 'train.roundz'; did you mean 'train.rounds'?\n");
  const auto typo = maskbench(dir, {"run", dir.write("d.yaml", "data: {dataset: adlut}\n")});
  EXPECT_EQ(typo.code, 1);
  EXPECT_NE(typo.err.find("did you mean 'adult'?\n"), std::string::npos) << typo.err;
  EXPECT_EQ(maskbench(dir, {"status", dir / "nothing"}).err,
            "maskbench: " + (dir / "nothing") + ": no results of maskbench (no manifest.json)\n");
}

TEST(Process, data_by_directory_by_environment_or_by_path) {
  TempDir dir;
  const std::string file = dir.write("adult.csv", "label,a,b\n0,1,2\n1,2,1\n");
  const std::string folder = std::filesystem::path(file).parent_path();
  EXPECT_NE(maskbench(dir, {"list", "--data-dir", folder}).out.find(file), std::string::npos);
  EXPECT_NE(maskbench(dir, {"list"}, {{"MASKBENCH_DATA", folder}}).out.find(file),
            std::string::npos);
  const std::string config = dir.write("c.yaml", "data: {dataset: none.csv}\n");
  EXPECT_EQ(maskbench(dir, {"show", config, "--data-dir", folder}).err,
            "maskbench: data.dataset: no file none.csv; check the path\n");
}

TEST(Process, wrong_usage_exits_2) {
  TempDir dir;
  EXPECT_EQ(maskbench(dir, {}).code, 2);
  EXPECT_EQ(maskbench(dir, {"run"}).code, 2);
  EXPECT_EQ(maskbench(dir, {"run", "x.yaml", "--shard", "3/2"}).code, 2);
  EXPECT_EQ(maskbench(dir, {"run", "x.yaml", "--resume", "--fresh"}).code, 2);
  const auto unknown = maskbench(dir, {"runn"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "maskbench: unknown command 'runn'; did you mean 'run'?; see maskbench --help\n");
}

TEST(Process, help_and_version) {
  TempDir dir;
  for (const std::string command : {"run", "show", "list", "status", "merge", "report", "compare",
                                    "calibrate", "predict", "party"}) {
    const auto help = maskbench(dir, {command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Usage: maskbench " + command), std::string::npos) << help.out;
    EXPECT_LE(widest(help.out), 80u) << help.out;
  }
  EXPECT_LE(widest(maskbench(dir, {"--help"}).out), 80u);
  EXPECT_TRUE(maskbench(dir, {"--version"}).out.starts_with("maskbench "));
  const std::string keys = maskbench(dir, {"show", "--keys"}).out;
  EXPECT_NE(keys.find("train.rounds = 60\n"), std::string::npos);
  EXPECT_LE(widest(keys), 80u) << keys;
  EXPECT_NE(maskbench(dir, {"list"}).out.find("masked"), std::string::npos);
}

TEST(Process, failed_runs_exit_1_and_status_names_them) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "axes: {method: [nonprivate, smm]}\n");
  const auto ended =
      maskbench(dir, {"run", config, "--out", dir / "out", "--set", "train.rounds=2"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("1 of 2 runs failed"), std::string::npos);
  const auto status = maskbench(dir, {"status", dir / "out"});
  EXPECT_TRUE(status.out.starts_with("2 runs: 1 done, 1 failed, 0 left\n")) << status.out;
  EXPECT_NE(status.out.find("smm adult #1: no \"basis\", sorry at all"), std::string::npos);
}

}  // namespace
}  // namespace maskbench::testing
