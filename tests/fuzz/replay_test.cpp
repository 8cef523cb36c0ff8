// Every input that the fuzzers start from or once found, through its target.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/targets.hpp"
#include "harness/base/file.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;
const fs::path kCorpus = fs::path(MASKBENCH_TEST_DIR).parent_path() / "fuzz/corpus";

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, of_the_corpus_ends_well) {
  size_t inputs = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / GetParam())) {
    SCOPED_TRACE(entry.path());
    fuzz::targets().at(GetParam())(read_file(entry.path()));
    ++inputs;
  }
  EXPECT_GE(inputs, 3u);
  fuzz::targets().at(GetParam())("");
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, target] : fuzz::targets()) out.push_back(name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace maskbench
