// The true kernels on the host, watched: no race, no access out of bounds, nothing read before it was written, in any
// order that streams and barriers allow; and the integers of the CPU.
#include <gtest/gtest.h>

#include "tests/kernels/cuda_on_host/fibres.hpp"
#include "tests/kernels/cuda_on_host/lanes.hpp"
#include "tests/kernels/cuda_on_host/memory.hpp"
#include "tests/kernels/own_threads.hpp"
#include "tests/kernels/shim/digest.hpp"
#include "tests/kernels/shim/observed.hpp"

namespace maskbench::kernels {
namespace {

class ShimRace : public testing::TestWithParam<uint64_t> {};

TEST_P(ShimRace, true_kernels_have_none_and_give_the_integers_of_the_cpu) {
  if (!cuda_on_host::is_observing()) GTEST_SKIP() << "a sanitizer of its own is built in";
  cuda_on_host::choose_schedule(GetParam());
  cuda_on_host::run_in(GetParam() % 2 ? cuda_on_host::Order::kBackward
                                      : cuda_on_host::Order::kForward);
  EXPECT_EQ(digest(*observed_backend()), digest(*cpu(1)));
}

INSTANTIATE_TEST_SUITE_P(Schedules, ShimRace, testing::Range(uint64_t{0}, uint64_t{6}));

}  // namespace
}  // namespace maskbench::kernels
