#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string_view>

#include "harness/cli/commands.hpp"
#include "tests/support/fake.hpp"

// The test binary is also a maskbench with a fake executor (or, with REAL_RUNS, the real one), so
// that tests can start and kill it.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--as-maskbench") {
    if (const char* limit = std::getenv("FAKE_FILE_LIMIT")) {
      const auto bytes = static_cast<rlim_t>(std::atoll(limit));
      const rlimit file_size{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &file_size);
    }
    if (const char* limit = std::getenv("FAKE_MEMORY_LIMIT")) {
      const auto bytes = static_cast<rlim_t>(std::atoll(limit));
      const rlimit space{bytes, bytes};
      setrlimit(RLIMIT_AS, &space);
    }
    const bool real = std::getenv("REAL_RUNS") != nullptr;
    return maskbench::run_app(argc - 1, argv + 1,
                              real ? maskbench::execute : maskbench::testing::fake_execute);
  }
  setenv("HWLOC_HIDE_ERRORS", "2", 1);  // mpirun's library complains where there is no /sys
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
