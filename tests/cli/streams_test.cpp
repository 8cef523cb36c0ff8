// The streams that a shell hands over: closed, full, or pipes in the place of files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "tests/support/fake.hpp"

namespace maskbench::testing {
namespace {

constexpr const char* kNoMore = "maskbench: standard output takes no more; is the disk full?\n";

// A shell that starts the program with its streams redirected.
std::vector<std::string> with(const std::string& redirected) {
  return {"/bin/sh", "-c", "exec \"$@\" " + redirected, "sh"};
}

// Else the numbers of the closed streams go to the next files, and what is said is written there.
TEST(Streams, closed_ones_are_not_taken_for_files) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "name: c\ntrain: {rounds: 1}\nrepeats: 3\n");
  EXPECT_EQ(maskbench(dir, {"run", config, "--out", dir / "whole"}).code, 0);
  for (const std::string closed : {">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    const std::string out = dir / ("out" + closed);
    const auto ended = maskbench(dir, {"run", config, "--out", out}, {}, with(closed));
    EXPECT_EQ(ended.code, 0) << closed << ended.err;
    EXPECT_EQ(finished_runs(out).size(), 3u);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = read_file(entry.path());
      EXPECT_EQ(text.find("results: "), std::string::npos) << entry.path();
      EXPECT_EQ(text.find("[1/3]"), std::string::npos) << entry.path();
    }
  }
}

TEST(Streams, a_full_standard_output_is_one_line_and_exit_1) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "name: c\ntrain: {rounds: 1}\n");
  ASSERT_EQ(maskbench(dir, {"run", config, "--out", dir / "out"}).code, 0);
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"--version"},
                                             {"list"},
                                             {"show", "--keys"},
                                             {"show", config},
                                             {"status", dir / "out"},
                                             {"calibrate"}}) {
    const auto ended = maskbench(dir, args, {}, with(">/dev/full"));
    EXPECT_EQ(ended.code, 1) << args[0];
    EXPECT_EQ(ended.err, kNoMore) << args[0];
  }
  const auto ended = maskbench(dir, {"run", config, "--out", dir / "next"}, {}, with(">/dev/full"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(ended.err.ends_with(kNoMore)) << ended.err;
}

TEST(Streams, a_config_comes_through_a_pipe_but_not_for_ever) {
  TempDir dir;
  const std::string config = dir.write("c.yaml", "name: c\nmethod: local\n");
  const auto piped = maskbench(dir, {"show", "/dev/stdin"}, {},
                               {"/bin/sh", "-c", "cat " + config + " | \"$@\"", "sh"});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out, maskbench(dir, {"show", config}).out);
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  try {
    read_file(pipe, 100, std::chrono::milliseconds(50));
    ADD_FAILURE() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot read " + pipe + ": a pipe that nobody writes to");
  }
}

}  // namespace
}  // namespace maskbench::testing
