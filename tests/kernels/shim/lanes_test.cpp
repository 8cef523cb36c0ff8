// Streams and memory of the shim: what it must let pass, and what it must refuse for every schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/kernels/cuda_on_host/lanes.hpp"
#include "tests/kernels/cuda_on_host/memory.hpp"

namespace cuda_on_host {
namespace {

class ShimLanes : public testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override {
    if (!is_observing()) GTEST_SKIP() << "a sanitizer of its own is built in";
    choose_schedule(GetParam());
  }
  std::byte* allocate(const LaneHandle& lane, size_t bytes = 64) {
    std::byte* memory = make_device_memory(bytes, "toy");
    enqueue(lane, "an allocation", [=] { give_birth(memory); });
    return memory;
  }
  void fill(const LaneHandle& lane, std::byte* memory, size_t bytes = 64) {
    enqueue(lane, "a fill", [=] {
      touch(memory, bytes, Use::kWrite);
      std::memset(memory, 1, bytes);
    });
  }
  static void expect(Wrong wrong, const std::function<void()>& work) {
    try {
      work();
      FAIL() << "nothing was found, " << name_of(wrong) << " expected";
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.wrong, wrong) << fault.what();
    }
  }

  LaneHandle one = make_lane(), two = make_lane();
  std::vector<std::byte> host = std::vector<std::byte>(64);
};

TEST_P(ShimLanes, work_of_one_lane_is_done_in_order) {
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) enqueue(one, "work", [&order, i] { order.push_back(i); });
  synchronise(one);
  ASSERT_EQ(order.size(), 20u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(ShimLanes, a_copy_that_is_waited_for_has_the_values) {
  std::byte* memory = allocate(one);
  std::fill(host.begin(), host.end(), std::byte{7});
  copy_in(one, memory, host);
  std::vector<std::byte> back(64);
  copy_out(one, memory, back, 1);
  synchronise(one);
  EXPECT_EQ(back, host);
}

TEST_P(ShimLanes, another_lane_without_an_event_is_a_race) {
  std::byte* memory = allocate(one);
  synchronise(one);
  expect(Wrong::kRace, [&] {
    fill(one, memory);
    fill(two, memory);
    synchronise(one);
    synchronise(two);
  });
}

TEST_P(ShimLanes, another_lane_with_an_event_is_none) {
  std::byte* memory = allocate(one);
  fill(one, memory);
  wait(two, record(one));
  copy_out(two, memory, host, 1);
  synchronise(two);
  EXPECT_EQ(host.front(), std::byte{1});
}

TEST_P(ShimLanes, a_host_that_waited_orders_lanes) {
  std::byte* memory = allocate(one);
  fill(one, memory);
  synchronise(one);
  fill(two, memory);
  synchronise(two);
}

TEST_P(ShimLanes, memory_used_before_its_allocation_on_another_lane) {
  choose_schedule(0);  // others may have allocated by then
  std::byte* memory = allocate(one);
  expect(Wrong::kFreed, [&] {
    fill(two, memory);
    synchronise(two);
  });
}

TEST_P(ShimLanes, memory_used_after_it_was_freed) {
  std::byte* memory = allocate(one);
  fill(one, memory);
  enqueue_free(one, memory);
  expect(Wrong::kFreed, [&] {
    fill(one, memory);
    synchronise(one);
  });
}

TEST_P(ShimLanes, a_free_on_another_lane) {
  std::byte* memory = allocate(one);
  synchronise(one);
  const auto work = [&] {
    fill(one, memory);
    enqueue_free(two, memory);
    synchronise(two);
    synchronise(one);
  };
  EXPECT_THROW(work(), Fault);  // a race if it was filled first, else a use after the free
}

TEST_P(ShimLanes, a_source_that_changes_too_early) {
  std::byte* memory = allocate(one);
  choose_schedule(0);  // others may have copied by then
  copy_in(one, memory, host);
  host[5] = std::byte{9};
  expect(Wrong::kHostChanged, [&] { synchronise(one); });
}

TEST_P(ShimLanes, a_target_that_is_read_too_early_is_poisoned) {
  std::byte* memory = allocate(one);
  choose_schedule(0);
  fill(one, memory);
  copy_out(one, memory, host, 1);
  EXPECT_EQ(host[0], std::byte{0xa5});
  synchronise(one);
  EXPECT_EQ(host[0], std::byte{1});
}

TEST_P(ShimLanes, a_read_of_what_nobody_wrote) {
  std::byte* memory = allocate(one);
  fill(one, memory, 63);
  expect(Wrong::kUninitialised, [&] {
    copy_out(one, memory, host, 1);
    synchronise(one);
  });
}

TEST_P(ShimLanes, a_copy_past_the_end) {
  std::byte* memory = allocate(one, 60);
  expect(Wrong::kOutOfBounds, [&] {
    copy_in(one, memory, host);
    synchronise(one);
  });
}

TEST_P(ShimLanes, memory_of_the_host_is_no_device_memory) {
  expect(Wrong::kOutOfBounds, [&] {
    fill(one, host.data());
    synchronise(one);
  });
}

INSTANTIATE_TEST_SUITE_P(Schedules, ShimLanes, testing::Range(uint64_t{0}, uint64_t{4}));

}  // namespace
}  // namespace cuda_on_host
