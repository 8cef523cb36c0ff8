#include "harness/sweep/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

namespace maskbench {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

Machine this_machine(int threads) {
  return {git_commit(), cpu_name(), threads,
#ifdef __clang__
          "clang++ " __clang_version__
#else
          "g++ " __VERSION__
#endif
  };
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string out;
  for (std::string word; std::getline(in, word, '\0');) {
    const bool plain = word.find_first_of(" \t\n'\"[]*?$&;|<>(){}\\") == std::string::npos;
    if (!out.empty()) out += ' ';
    out += plain ? word : fmt::format("'{}'", word);
  }
  return out;
}

std::string utc_now() {
  return fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace maskbench
