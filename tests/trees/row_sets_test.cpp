#include "harness/trees/row_sets.hpp"

#include <gtest/gtest.h>

#include <random>

namespace maskbench {
namespace {

// A naive partition of the same bits, level after level, with some nodes left as leaves.
TEST(RowSets, equals_a_naive_stable_partition) {
  std::mt19937 random(4);
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    const size_t rows = 20011;
    RowSets sets(rows);
    Level level = sets.root(0);
    std::vector<std::vector<uint32_t>> naive(1);
    for (uint32_t j = 0; j < rows; ++j) naive[0].push_back(j);
    std::vector<std::pair<std::span<const uint32_t>, std::vector<uint32_t>>> leaves;
    for (int depth = 0; depth < 6; ++depth) {
      std::vector<RowSets::Split> splits;
      std::vector<RowBits> bits(level.nodes.size());
      std::vector<std::vector<uint32_t>> next;
      for (size_t place = 0; place < level.nodes.size(); ++place) {
        if (depth > 0 && random() % 4 == 0) {
          leaves.emplace_back(level.nodes[place].rows, naive[place]);
          continue;
        }
        bits[place].assign(bit_words(naive[place].size()), 0);
        std::vector<uint32_t> left, right;
        for (size_t j = 0; j < naive[place].size(); ++j) {
          const bool is_left = random() % 3 == 0;
          if (is_left) bits[place][j / 64] |= uint64_t{1} << (j % 64);
          (is_left ? left : right).push_back(naive[place][j]);
        }
        next.push_back(left);
        next.push_back(right);
        splits.push_back({place, 0, 0, bits[place]});
      }
      level = sets.split(level, splits, pool);
      naive = std::move(next);
      ASSERT_EQ(level.nodes.size(), naive.size());
      for (size_t place = 0; place < naive.size(); ++place) {
        const auto& got = level.nodes[place].rows;
        EXPECT_EQ(std::vector(got.begin(), got.end()), naive[place]);
      }
    }
    for (const auto& [got, want] : leaves) EXPECT_EQ(std::vector(got.begin(), got.end()), want);
  }
}

}  // namespace
}  // namespace maskbench
