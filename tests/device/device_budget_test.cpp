// What a training may ask of a device, counted through whole trainings at two sizes each. A launch
// is a kernel, memory that is cleared, or one of the two of CUB's scan.
#include <gtest/gtest.h>

#include "baselines/methods.hpp"
#include "harness/masked/masked.hpp"
#include "tests/device/counted_training.hpp"

namespace maskbench {
namespace {

struct Size {
  size_t rows;
  int features, max_bins;
};
constexpr Size kSmall{700, 6, 8}, kLarge{1500, 8, 24};

toy::Parties parties(const Size& size) {
  return toy::parties(size.rows, size.features, 3, size.max_bins);
}

RunSpec spec_of(Mode mode = Mode::collapsed) {
  RunSpec spec;
  spec.mode = mode;
  spec.train.rounds = 2;
  spec.train.max_depth = 4;
  spec.privacy.eps_ap = 4;
  return spec;
}

struct Limits {
  size_t launches, copies, synchronisations;
  size_t launches_a_block = 0, copies_a_block = 0;
};

// The gradients are one copy more in a tree's first level, wherever that is. `more`: copies.
void expect_within(const counted::Log& log, const Limits& limits, int more) {
  size_t copies = 0, allowed = 0;
  ASSERT_FALSE(log.begun.empty());
  for (const counted::Counts& level : log.levels()) {
    EXPECT_LE(level.launches, limits.launches + level.blocks * limits.launches_a_block);
    EXPECT_LE(level.synchronisations, limits.synchronisations);
    copies += level.copies;
    allowed += limits.copies + level.blocks * limits.copies_a_block;
  }
  EXPECT_LE(copies, allowed + static_cast<size_t>(more));
}

constexpr Limits kSearch{10, 2, 1};
// AP asks what it has found when PP has answered: by then somebody has waited.
constexpr Limits kAskedLater{10, 2, 0};
// PP of masked waits twice, for the counts of rows, without which it cannot price a message, and
// for the best. AP does not wait at all: together they do once a side.
constexpr Limits kMaskedPassive{10, 2, 2};

TEST(DeviceBudget, a_plain_level_is_two_copies_and_one_synchronisation) {
  for (const Size& size : {kSmall, kLarge}) {
    const RunSpec spec = spec_of();
    const counted::Training t = counted::train(nonprivate_method(), spec, parties(size));
    expect_within(t.of(Party::ap), kAskedLater, spec.train.rounds);
    expect_within(t.of(Party::pp), kSearch, spec.train.rounds);
  }
}

TEST(DeviceBudget, a_simulated_level_of_masked_is_ten_launches) {
  for (Mode mode : {Mode::fused, Mode::collapsed}) {
    for (const Size& size : {kSmall, kLarge}) {
      const RunSpec spec = spec_of(mode);
      const counted::Training t = counted::train(masked_method(), spec, parties(size));
      expect_within(t.of(Party::ap), kAskedLater, spec.train.rounds);
      expect_within(t.of(Party::pp), kMaskedPassive, spec.train.rounds + 1);  // ones, to count by
    }
  }
}

TEST(DeviceBudget, a_materialised_level_adds_a_constant_a_block) {
  for (const Size& size : {kSmall, kLarge}) {
    const RunSpec spec = spec_of(Mode::materialised);
    const counted::Training t =
        counted::train(masked_method(), spec, parties(size), size_t{64} << 10);
    const Limits masks{10, 2, 0, 1, 1};  // a block: its weights, and a kernel
    expect_within(t.of(Party::ap), masks, 2 * spec.train.rounds);
    const Limits noise{10, 2, 2, 2, 0};  // a block: its noise, and its sums
    expect_within(t.of(Party::pp), noise, spec.train.rounds);
    EXPECT_GT(t.of(Party::pp).now.blocks, 2 * t.of(Party::pp).begun.size());
  }
}

TEST(DeviceBudget, the_other_methods_search_within_the_same) {
  for (const Method* method : {&xgb_ldp_method(), &fedxgb_ldp_method(), &label_rr_method(),
                               &federboost_method(), &bilateral_rr_method(), &local_method()}) {
    const RunSpec spec = spec_of();
    const counted::Training t = counted::train(*method, spec, parties(kSmall));
    for (Party party : {Party::ap, Party::pp})
      if (!t.of(party).begun.empty())
        expect_within(t.of(party), kSearch, spec.train.rounds + 1);  // a response is sent once
    EXPECT_FALSE(t.of(Party::ap).begun.empty()) << method->id;
  }
}

// Bytes of the levels alone, without what a tree and a training send once.
size_t level_bytes(const counted::Log& log) {
  size_t bytes = 0;
  for (const counted::Counts& level : log.levels()) bytes += level.bytes;
  return bytes;
}

TEST(DeviceBudget, bytes_follow_rows_and_candidates_but_never_their_product) {
  RunSpec spec = spec_of(Mode::fused);
  const auto bytes = [&](Mode mode, size_t rows, int max_bins) {
    spec.mode = mode;
    const toy::Parties p = toy::parties(rows, 6, 3, max_bins);
    const counted::Training t = counted::train(masked_method(), spec, p);
    return static_cast<double>(level_bytes(t.of(Party::ap)) + level_bytes(t.of(Party::pp)));
  };
  for (Mode mode : {Mode::fused, Mode::materialised}) {
    const double few = bytes(mode, 1000, 4), many = bytes(mode, 1000, 32);
    const double few_rows = bytes(mode, 4000, 4), many_rows = bytes(mode, 4000, 32);
    // What more candidates cost is the same for four times the rows (some split nothing in fewer).
    EXPECT_LT(many_rows - few_rows, 1.6 * (many - few));
    EXPECT_LT(many - few, 2 * 15 * 90 * 75.0);  // at most 75 bytes a candidate, node and tree
  }
  const auto plain = [&](int max_bins) {
    const toy::Parties p = toy::parties(1000, 6, 3, max_bins);
    return level_bytes(counted::train(nonprivate_method(), spec, p).of(Party::pp));
  };
  EXPECT_LT(static_cast<double>(plain(32)), 1.2 * static_cast<double>(plain(4)));
}

TEST(DeviceBudget, memory_is_taken_before_the_second_tree) {
  for (Mode mode : {Mode::fused, Mode::collapsed, Mode::materialised}) {
    for (const Size& size : {kSmall, kLarge}) {
      const counted::Training t = counted::train(masked_method(), spec_of(mode), parties(size));
      for (size_t party : {0, 1})
        EXPECT_EQ(t.trees.front()[party].allocations, t.trees.back()[party].allocations);
    }
  }
}

TEST(DeviceBudget, the_device_trains_the_same_model) {
  const toy::Parties p = parties(kLarge);
  for (Mode mode : {Mode::fused, Mode::collapsed, Mode::materialised}) {
    const RunSpec spec = spec_of(mode);
    EXPECT_EQ(
        toy::fingerprint(counted::train(masked_method(), spec, p, size_t{64} << 10).result.model),
        toy::fingerprint(toy::train(masked_method(), spec, p, 1).model));
  }
  for (const Method* method : {&nonprivate_method(), &xgb_ldp_method(), &fedxgb_ldp_method(),
                               &label_rr_method(), &federboost_method(), &bilateral_rr_method()}) {
    const RunSpec spec = spec_of();
    EXPECT_EQ(toy::fingerprint(counted::train(*method, spec, p).result.model),
              toy::fingerprint(toy::train(*method, spec, p, 1).model))
        << method->id;
  }
}

TEST(DeviceBudget, a_payload_becomes_bytes_only_for_a_tape_that_wants_them) {
  const toy::Parties p = parties(kSmall);
  RunSpec spec = spec_of(Mode::materialised);
  spec.train.rounds = 1;
  Records silent, wanted, on_cpu;
  const auto masked = [](Party, Kind kind, const Tag&) {
    return kind == Kind::masked || kind == Kind::noise;
  };
  wanted.tape.record(masked);
  on_cpu.tape.record(masked);
  const counted::Training quiet = counted::train(masked_method(), spec, p, silent, size_t{1} << 22);
  const counted::Training heard = counted::train(masked_method(), spec, p, wanted, size_t{1} << 22);
  toy::train(masked_method(), spec, p, 1, on_cpu);
  EXPECT_GT(heard.of(Party::pp).now.bytes, 2 * quiet.of(Party::pp).now.bytes);
  ASSERT_EQ(wanted.tape.recorded().size(), on_cpu.tape.recorded().size());
  for (size_t i = 0; i < on_cpu.tape.recorded().size(); ++i) {
    const auto ours = wanted.tape.recorded()[i].payload->bytes();
    const auto theirs = on_cpu.tape.recorded()[i].payload->bytes();
    EXPECT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end())) << i;
  }
}

}  // namespace
}  // namespace maskbench
