// The split search with the CUDA backend's own source, run as fibres on the host.
// clang-format off
#include "tests/kernels/cuda_on_host/host_device.hpp"
// clang-format on

#include <gtest/gtest.h>

#include "harness/trees/split_search.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

TEST(SplitSearch, a_device_finds_the_same_splits_level_by_level) {
  const size_t rows = 3000;
  const toy::Parties p = toy::parties(rows, 8, 4, 40);
  ThreadPool pool(1);
  size_t made = 0;
  const Compute shim(pool, "cuda-on-host", [&] {
    ++made;
    return std::make_unique<kernels::device::DeviceBackend<cuda_on_host::HostDevice>>(
        cuda_on_host::HostDevice());
  });
  const ScoreParams params{1.0, 0.0, 5.0};
  SplitSearch on_device(p.pp, params, shim), on_cpu(p.pp, params, pool);
  EXPECT_EQ(made, 1u);
  Gradients gradients;
  for (const float margin : {0.1f, -0.4f}) {  // two trees
    compute_gradients({}, p.data.labels, std::vector<float>(rows, margin), pool, gradients);
    RowSets sets(rows);
    Level level = sets.root(0);
    for (int depth = 0; depth < 3; ++depth) {
      const std::vector<BestSplit> ours = on_device.best_splits(level, gradients);
      const std::vector<BestSplit> theirs = on_cpu.best_splits(level, gradients);
      std::vector<RowSets::Split> splits;
      std::vector<RowBits> bits(level.nodes.size());
      for (size_t place = 0; place < level.nodes.size(); ++place) {
        EXPECT_EQ(ours[place].score, theirs[place].score);
        EXPECT_EQ(ours[place].candidate, theirs[place].candidate);
        ASSERT_GT(theirs[place].score, kMinGain);
        bits[place].resize(bit_words(level.nodes[place].rows.size()));
        splitting_bits(p.pp, theirs[place].candidate, level.nodes[place].rows, bits[place]);
        const int left = 1 + 2 * static_cast<int>(place);
        splits.push_back({place, left, left + 1, bits[place]});
      }
      level = sets.split(level, splits, pool);
    }
  }
}

}  // namespace
}  // namespace maskbench
