#include "kernels/random/philox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernels/random/streams.hpp"

#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#define MASKBENCH_HAS_RANDOM123 1
#endif

namespace maskbench {
namespace {

// The known answers published with the Random123 library.
TEST(Philox, known_answers) {
  const PhiloxBlock zero = philox({{0, 0, 0, 0}}, {0, 0});
  EXPECT_EQ(zero.x[0], 0x6627e8d5u);
  const PhiloxBlock ones =
      philox({{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}}, {0xffffffffu, 0xffffffffu});
  EXPECT_EQ(ones.x[0], 0x408f276du);
  EXPECT_EQ(ones.x[1], 0x41c83b0eu);
  EXPECT_EQ(ones.x[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.x[3], 0x6d5451fdu);
}

TEST(Philox, equals_random123) {
#ifdef MASKBENCH_HAS_RANDOM123
  std::mt19937 rng(1);
  for (int i = 0; i < 10000; ++i) {
    const std::array<uint32_t, 6> w = {static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng()),
                                       static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng()),
                                       static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng())};
    const r123::Philox4x32 peer;
    const auto theirs = peer({{w[0], w[1], w[2], w[3]}}, {{w[4], w[5]}});
    const PhiloxBlock ours = philox({{w[0], w[1], w[2], w[3]}}, {w[4], w[5]});
    for (size_t k = 0; k < 4; ++k) ASSERT_EQ(ours.x[k], theirs[k]);
  }
#else
  GTEST_SKIP() << "Random123 is not installed (librandom123-dev)";
#endif
}

TEST(Streams, counters_never_meet) {
  using kernels::Stream;
  const auto same = [](const PhiloxBlock& a, const PhiloxBlock& b) {
    return a.x[0] == b.x[0] && a.x[1] == b.x[1] && a.x[2] == b.x[2] && a.x[3] == b.x[3];
  };
  const kernels::StreamId base{{1, 2}, kernels::kMaxTree, kernels::kMaxNode, 7, 255};
  const PhiloxBlock counter = stream_counter(base, Stream::kRow, 9);
  std::array<kernels::StreamId, 4> other{base, base, base, base};
  --other[0].tree;
  --other[1].node;
  --other[2].candidate;
  --other[3].column;
  for (const auto& id : other) EXPECT_FALSE(same(counter, stream_counter(id, Stream::kRow, 9)));
  for (Stream s : {Stream::kActive, Stream::kCollapsed, Stream::kSphereC, Stream::kSphereD,
                   Stream::kRounding}) {
    EXPECT_FALSE(same(counter, stream_counter(base, s, 9)));
  }
  EXPECT_EQ(counter.x[2], 0xffffffffu);       // node and column fill their word ...
  EXPECT_EQ(counter.x[3] >> 4, 0x0fffffffu);  // ... and so does the tree
}

TEST(Streams, positions_cover_blocks_once) {
  std::array<int, 256> seen{};
  for (uint32_t position = 0; position < 256; ++position) {
    ++seen[kernels::block_of(position) * 4 + kernels::word_of(position)];
  }
  for (int count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace maskbench
