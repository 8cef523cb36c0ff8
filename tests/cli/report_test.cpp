// maskbench report, compare and show --metrics, and one line for whatever is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/file.hpp"
#include "harness/sweep/dictionary.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

const bool kHavePlots = std::system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") == 0;

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string config = dir_.write(
        "c.yaml",
        "name: mine\ntrain: {rounds: 2}\naxes: {privacy.eps_ap: [1, 2], method: [masked]}\n");
    ASSERT_EQ(maskbench(dir_, {"run", config, "--out", dir_ / "out"}).code, 0);
  }
  TempDir dir_;
};

TEST_F(Report, writes_the_page_and_the_figures) {
  if (!kHavePlots) GTEST_SKIP() << "no matplotlib here: apt-get install python3-matplotlib";
  const auto ended =
      maskbench(dir_, {"report", dir_ / "out", "--out", dir_ / "p.html", "--figures"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string page = read_file(dir_ / "p.html");
  EXPECT_NE(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("mine"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/summary.csv"));
}

TEST_F(Report, compares_two_methods_and_two_folders) {
  if (!kHavePlots) GTEST_SKIP() << "no matplotlib here: apt-get install python3-matplotlib";
  const std::string config = dir_.write(
      "d.yaml", "name: d\ntrain: {rounds: 2}\nrepeats: 3\naxes: {method: [masked, nonprivate]}\n");
  for (const char* out : {"one", "two"})
    ASSERT_EQ(maskbench(dir_, {"run", config, "--out", dir_ / out}).code, 0);
  const auto methods =
      maskbench(dir_, {"compare", "masked", "nonprivate", "--results", dir_ / "one"});
  EXPECT_EQ(methods.code, 0) << methods.err;
  EXPECT_TRUE(
      methods.out.starts_with("test_auc; p of the paired t test\nA: masked\nB: nonprivate\n"))
      << methods.out;
  EXPECT_LE(widest(methods.out), 80u) << methods.out;
  const auto folders =
      maskbench(dir_, {"compare", dir_ / "one", dir_ / "two", "--metric", "test_auc"});
  EXPECT_EQ(folders.code, 0) << folders.err;
  EXPECT_NE(folders.out.find("+0.0000 +0.0000   3      1      1"), std::string::npos)
      << folders.out;
  const auto nothing = maskbench(dir_, {"compare", "masked", "smm", "--results", dir_ / "one"});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_EQ(nothing.err, "compare.py: 'smm' is neither a results folder nor a method in " +
                             (dir_ / "one") + "; there are: masked, nonprivate\n");
}

TEST(Metrics, are_listed_in_80_columns_and_as_json) {
  const TempDir dir;
  const auto text = maskbench(dir, {"show", "--metrics"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_LE(widest(text.out), 80u);
  const auto json = maskbench(dir, {"show", "--metrics", "--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  const auto all = nlohmann::json::parse(json.out);
  EXPECT_EQ(all.at("metrics").size(), metric_entries().size());
  EXPECT_EQ(all.at("columns").size(), column_entries().size());
  for (const auto& entry : metric_entries())
    EXPECT_NE(text.out.find("\n" + entry.name + " "), std::string::npos) << entry.name;
}

TEST_F(Report, says_in_one_line_what_is_missing) {
  const auto no_results = maskbench(dir_, {"report", dir_ / "nothing"});
  EXPECT_NE(no_results.code, 0);
  EXPECT_EQ(std::count(no_results.err.begin(), no_results.err.end(), '\n'), 1) << no_results.err;
  const auto no_python = maskbench(dir_, {"report", dir_ / "out", "--python", "/no/python3"});
  EXPECT_EQ(no_python.code, 1);
  EXPECT_EQ(no_python.err,
            "maskbench: cannot start /no/python3: No such file or directory; apt-get install "
            "python3 python3-matplotlib, or name another by --python\n");
  const auto no_scripts = maskbench(dir_, {"report", dir_ / "out"}, {{"MASKBENCH_SCRIPTS", "/no"}});
  EXPECT_EQ(no_scripts.code, 1);
  EXPECT_EQ(no_scripts.err,
            "maskbench: /no/report.py: no such file; name the folder of maskbench's scripts by "
            "--scripts\n");
}

TEST_F(Report, says_in_one_line_that_matplotlib_is_missing) {
  const std::string bare = dir_.write("python", "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n");
  std::filesystem::permissions(bare, std::filesystem::perms::all);
  const auto ended = maskbench(dir_, {"report", dir_ / "out", "--python", bare});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_NE(ended.err.find("is missing for"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace maskbench::testing
