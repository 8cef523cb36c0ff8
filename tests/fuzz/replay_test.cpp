// Every input that the fuzzers start from or once found, through its target.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/link.hpp"
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

// The target `link` starts no threads, for speed; with them the same must be heard.
TEST(ReplayOfLinks, through_threads_brings_what_it_brings_without) {
  size_t messages = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "link")) {
    SCOPED_TRACE(entry.path());
    const std::string bytes = read_file(entry.path());
    const fuzz::Heard heard = fuzz::hear(bytes);
    messages += heard.messages;
    StreamLink end(Party::ap, std::make_unique<fuzz::Recording>(bytes), fuzz::small_limits());
    for (size_t k = 0; k < heard.messages; ++k) EXPECT_EQ(end.take().from, Party::pp);
    try {
      end.take();
      ADD_FAILURE() << "a message too many";
    } catch (const PeerLeft& left) {
      EXPECT_NE(std::string(left.what()).find(heard.end), std::string::npos) << left.what();
      fuzz::is_for_people(left.what());
    }
  }
  EXPECT_GE(messages, 10u);
}

}  // namespace
}  // namespace maskbench
