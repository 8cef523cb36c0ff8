// What the headers of configs/*.yaml say of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "harness/base/file.hpp"
#include "harness/config/config.hpp"

namespace maskbench {
namespace {

size_t different_runs(const std::string& path, bool small) {
  std::set<std::string> ids;
  ConfigOptions options;
  options.small = small;
  for (const Job& job : load_plan(path, options).jobs) ids.insert(job.id);
  return ids.size();
}

TEST(ShippedConfigs, have_as_many_runs_as_their_headers_say) {
  size_t seen = 0;
  const auto folder = std::filesystem::path(MASKBENCH_TEST_DIR).parent_path() / "configs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path();
    const std::string line = fmt::format("\n# runs: {}; --scale small: {}\n",
                                         different_runs(path, false), different_runs(path, true));
    EXPECT_NE(read_file(path).find(line), std::string::npos) << path << " wants" << line;
    ++seen;
  }
  EXPECT_GT(seen, 20u);
}

}  // namespace
}  // namespace maskbench
