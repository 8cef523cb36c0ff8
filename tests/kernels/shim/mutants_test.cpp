// Every kernel with a fault is caught, by what the table of mutants says.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/kernels/cuda_on_host/lanes.hpp"
#include "tests/kernels/cuda_on_host/memory.hpp"
#include "tests/kernels/own_threads.hpp"
#include "tests/kernels/shim/digest.hpp"

#define MUTANT(name, caught_by) std::vector<uint64_t> run_##name();
#include "mutants.inc"
#undef MUTANT

namespace {

struct Mutant {
  std::string name;
  std::string caught_by;
  std::function<std::vector<uint64_t>()> run;
};

std::vector<Mutant> mutants() {
  return {
#define MUTANT(name, caught_by) {#name, caught_by, run_##name},
#include "mutants.inc"
#undef MUTANT
  };
}

const std::vector<uint64_t>& expected() {
  static const std::vector<uint64_t> of_cpu =
      maskbench::kernels::digest(*maskbench::kernels::cpu(1));
  return of_cpu;
}

std::string verdict(const Mutant& mutant) {
  try {
    return mutant.run() == expected() ? "nothing" : "result";
  } catch (const cuda_on_host::Fault& fault) {
    return name_of(fault.wrong);
  }
}

void PrintTo(const Mutant& mutant, std::ostream* out) {
  *out << mutant.name << ", caught by " << mutant.caught_by;
}

class ShimMutant : public testing::TestWithParam<Mutant> {};

TEST_P(ShimMutant, is_caught_whatever_the_schedule) {
  if (!cuda_on_host::is_observing()) GTEST_SKIP() << "a sanitizer of its own is built in";
  if (GetParam().name == "fmad_left_on" && !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this processor has no fma to fuse into";
  for (uint64_t seed : {0, 1}) {
    cuda_on_host::choose_schedule(seed);
    const std::string by = verdict(GetParam());
    // Of two streams it depends on the schedule which of two faults is met first.
    EXPECT_NE(GetParam().caught_by.find(by), std::string::npos) << by << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ShimMutant, testing::ValuesIn(mutants()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
