// maskbench report: the page, and one line for whatever is missing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/file.hpp"
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
