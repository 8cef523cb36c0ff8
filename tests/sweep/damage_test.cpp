// Files of results that were cut, changed, swapped or removed: none of them counts as finished.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>

#include "harness/base/file.hpp"
#include "harness/sweep/rows.hpp"
#include "harness/sweep/sweep.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

namespace fs = std::filesystem;
const Machine kMachine{"commit1", "a cpu", 2, "g++"};

std::string small_file(const std::string& run) {
  RunResult result;
  result.metrics = {{"test_auc", 0.75, "", -1, "ok", ""}};
  return run_file_text(run, run_record({}, run, result, 1.5, kMachine));
}

TEST(RunFile, counts_as_it_was_written) {
  const std::string text = small_file("aa");
  const RunFile file = check_run_file("aa", text);
  ASSERT_TRUE(file.state);
  EXPECT_TRUE(file.state->ok);
  EXPECT_EQ(file.state->seconds, 1.5);
  EXPECT_EQ(file.state->commit, "commit1");
  EXPECT_EQ(file.damage, "");
  EXPECT_EQ(std::count(file.numbers.begin(), file.numbers.end(), '\n'), 2);
  EXPECT_EQ(run_columns().cell(file.run, "method"), "nonprivate");
}

TEST(RunFile, cut_at_any_byte_does_not_count) {
  const std::string text = small_file("aa");
  for (size_t bytes = 0; bytes < text.size(); ++bytes) {
    const RunFile file = check_run_file("aa", std::string_view(text).substr(0, bytes));
    EXPECT_FALSE(file.state) << bytes;
    EXPECT_NE(file.damage, "") << bytes;
  }
}

TEST(RunFile, with_any_bit_flipped_does_not_count) {
  std::string text = small_file("aa");
  for (size_t i = 0; i < 8 * text.size(); ++i) {
    const char bit = static_cast<char>(1 << i % 8);
    text[i / 8] ^= bit;
    EXPECT_FALSE(check_run_file("aa", text).state) << i;
    text[i / 8] ^= bit;
  }
  EXPECT_TRUE(check_run_file("aa", text).state);
}

TEST(RunFile, of_another_run_or_with_more_behind_it_does_not_count) {
  EXPECT_EQ(check_run_file("bb", small_file("aa")).damage, "it holds the run aa");
  EXPECT_FALSE(check_run_file("aa", small_file("aa") + small_file("aa")).state);
  EXPECT_FALSE(check_run_file("aa", small_file("aa") + "\n").state);
  EXPECT_EQ(check_run_file("aa", run_file_text("aa", {})).damage, "row 1 has other columns");
  RunRecord record = run_record({}, "aa", {}, 1.5, kMachine);
  record.numbers.clear();
  EXPECT_EQ(check_run_file("aa", run_file_text("aa", record)).damage,
            "its numbers do not go with its status");
  record = run_record({}, "aa", {}, 1.5, kMachine);
  number_columns().cell(record.numbers[0], "run") = "bb";
  EXPECT_EQ(check_run_file("aa", run_file_text("aa", record)).damage, "it holds the run bb");
}

TEST(Rows, a_nan_is_never_ok) {
  RunResult result;
  result.metrics = {{"attack_auc", std::nan(""), "", -1, "ok", ""},
                    {"eps", INFINITY, "", -1, "ok", ""}};
  const auto rows = run_record({}, "aa", result, 1, kMachine).numbers;
  const Columns& columns = number_columns();
  EXPECT_EQ(columns.cell(rows[1], "status"), "skip");
  EXPECT_EQ(columns.cell(rows[1], "value"), "");
  EXPECT_EQ(columns.cell(rows[1], "reason"), "not defined for this data");
  EXPECT_EQ(columns.cell(rows[2], "value"), "inf");
}

// A finished sweep of three runs, to be damaged.
class Damaged : public ::testing::Test {
 protected:
  Damaged() : config_(dir_.write("c.yaml", "name: c\ntrain: {rounds: 2}\nrepeats: 3\n")) {
    EXPECT_EQ(run().code, 0);
    rows_ = sorted_rows(out_ + "/results.csv");
    runs_ = finished_runs(out_);
  }

  Ended run(const std::string& flag = "") {
    std::vector<std::string> args = {"run", config_, "--out", out_};
    if (!flag.empty()) args.push_back(flag);
    return maskbench(dir_, args, {{"FAKE_LOG", dir_ / "log"}});
  }
  std::string file(size_t k) const {
    return out_ + "/runs/" + *std::next(runs_.begin(), k) + ".csv";
  }
  std::string manifest() const { return out_ + "/manifest.json"; }
  void spoil(const std::string& path, const std::string& content) {
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << content;
  }
  // The next start names it, sets it aside, does `runs` runs, and all is as it was.
  void expect_repaired(size_t runs, const std::string& note, const std::string& flag = "") {
    const size_t before = lines_of(dir_ / "log").size();
    const auto ended = run(flag);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.err.find(note), std::string::npos) << ended.err;
    EXPECT_EQ(lines_of(dir_ / "log").size() - before, runs);
    EXPECT_EQ(sorted_rows(out_ + "/results.csv"), rows_);
    EXPECT_EQ(finished_runs(out_), runs_);
  }
  size_t set_aside() const {
    size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(out_)) {
      const bool old = entry.path().string().find("/old-") != std::string::npos;
      files += old && !entry.is_directory();
    }
    return files;
  }

  TempDir dir_;
  std::string out_ = dir_ / "out";
  std::string config_;
  std::vector<std::string> rows_;
  std::set<std::string> runs_;
};

TEST_F(Damaged, a_cut_a_flipped_and_a_swapped_file_are_done_again) {
  const std::string first = read_file(file(0));
  fs::resize_file(file(0), first.size() / 2);
  std::string flipped = read_file(file(1));
  flipped[flipped.size() / 2] ^= 4;
  spoil(file(1), flipped);
  spoil(file(2), first);
  const auto status = maskbench(dir_, {"status", out_});
  EXPECT_TRUE(status.out.starts_with("3 runs: 0 done, 0 failed, 3 left")) << status.out;
  expect_repaired(3, file(2) + ": it holds the run " + *runs_.begin());
  EXPECT_EQ(set_aside(), 3u);
}

TEST_F(Damaged, a_cut_file_of_a_run_that_two_configs_share_is_done_again) {
  dir_.write("a.yaml", "name: fig-utility-of-many-things-a\ntrain: {rounds: 2}\n");
  dir_.write("b.yaml", "name: fig-utility-of-many-things-b\ntrain: {rounds: 2}\n");
  config_ = dir_.write("ab.yaml", "include: [a.yaml, b.yaml]\n");
  out_ = dir_ / "ab";
  ASSERT_EQ(run().code, 0);
  rows_ = sorted_rows(out_ + "/results.csv");
  runs_ = finished_runs(out_);
  const std::string text = read_file(file(0));
  spoil(file(0), text.substr(0, text.rfind('\n', text.rfind("#sealed") - 2)) + "\n5");
  expect_repaired(1, file(0) + ": its end is missing");
}

TEST_F(Damaged, a_link_and_a_pipe_in_the_place_of_a_file_neither_count_nor_hang) {
  fs::remove(file(0));
  ASSERT_EQ(mkfifo(file(0).c_str(), 0666), 0);
  fs::rename(file(1), dir_ / "elsewhere.csv");
  fs::create_symlink(dir_ / "elsewhere.csv", file(1));
  const auto status = maskbench(dir_, {"status", out_});
  EXPECT_TRUE(status.out.starts_with("3 runs: 1 done, 0 failed, 2 left")) << status.out;
  expect_repaired(2, file(0) + ": ");
  EXPECT_TRUE(fs::exists(dir_ / "elsewhere.csv"));
}

TEST_F(Damaged, a_removed_or_garbled_manifest_is_made_anew_and_whole_runs_stay) {
  const std::string good = read_file(manifest());
  std::string flipped = good;
  flipped[good.find("commit") + 12] ^= 1;
  fs::remove(manifest());
  expect_repaired(0, manifest() + " is missing");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},          {good.substr(0, good.size() / 2), "--resume"},
      {flipped, ""},     {"{}", "--update"},
      {"[1", "--force"}, {std::string(5000, '['), "--fresh"}};
  for (const auto& [bad, flag] : cases) {
    spoil(manifest(), bad);
    EXPECT_EQ(maskbench(dir_, {"status", out_}).code, 1);
    const bool all = flag == "--force" || flag == "--fresh";
    const std::string note = flag == "--fresh" ? "old results are now in " : ": damaged or of";
    expect_repaired(all ? 3 : 0, note, flag);
  }
}

TEST_F(Damaged, without_a_manifest_runs_of_another_commit_are_still_refused) {
  RunSpec spec;
  const std::string run = *runs_.begin();
  spoil(file(0), run_file_text(run, run_record(spec, run, {}, 1, kMachine)));
  fs::remove(manifest());
  const auto ended = this->run();
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("holds results of another commit (commit1, now "), std::string::npos)
      << ended.err;
  EXPECT_EQ(this->run("--resume").code, 0);
}

}  // namespace
}  // namespace maskbench::testing
