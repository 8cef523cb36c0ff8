#include "kernels/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "kernels/cpu/cpu_operations.hpp"
#include "kernels/cpu/cpu_ops.hpp"
#include "tests/kernels/conformance.hpp"

namespace maskbench::kernels {
namespace {

constexpr double kSigma1 = 9000;
constexpr double kSigma2 = 4500;

std::vector<int32_t> draw_b(const std::vector<int>& m, const StreamId& id,
                            const NoiseScale& scale) {
  std::vector<uint64_t> bits((m.size() + 63) / 64);
  size_t active = 0;
  for (size_t j = 0; j < m.size(); ++j) {
    bits[j / 64] |= static_cast<uint64_t>(m[j]) << (j % 64);
    active += static_cast<size_t>(m[j]);
  }
  std::vector<int32_t> b(m.size());
  simd_ops().noise(id, scale, bits.data(), m.size(), active, b.data());
  return b;
}

// docs/protocol.md, masked, step 1, written down once more: ranks, then p_t - p_{t-1} + r with
// p_0 := p_{nA}; r and p of a row come from one normal.
TEST(Noise, is_the_cyclic_difference_of_the_paper) {
  const StreamId id{{1, 2}, 3, 4, 5, 6};
  const NoiseScale scale = noise_scale(kSigma1, kSigma2);
  std::vector<int> m(7000);
  for (size_t j = 0; j < m.size(); ++j) m[j] = j * j % 7 < 3;
  std::vector<size_t> active_rows;
  for (size_t j = 0; j < m.size(); ++j) {
    if (m[j] == 1) active_rows.push_back(j);
  }
  const std::vector<int32_t> b = draw_b(m, id, scale);
  const auto p = [&](size_t t) {
    return to_grid(normal_at(id, Stream::kActive, static_cast<uint32_t>(t)), scale.beta);
  };
  const auto r = [&](size_t t) {
    return to_grid(normal_at(id, Stream::kActive, static_cast<uint32_t>(t)), scale.sigma2);
  };
  for (size_t t = 0; t < active_rows.size(); ++t) {
    const size_t before = t == 0 ? active_rows.size() - 1 : t - 1;
    const size_t j = active_rows[t];
    ASSERT_EQ(b[j], p(t) - p(before) + r(t)) << j;
  }
  uint32_t rank = 0;
  for (size_t j = 0; j < m.size(); ++j) {
    if (m[j] == 1) continue;
    ASSERT_EQ(b[j], to_grid(normal_at(id, Stream::kRow, rank++), scale.inactive)) << j;
  }
}

// Claim T4: the p part sums to zero over the active rows, exactly, so sigma1 does not matter.
TEST(Noise, active_sum_does_not_depend_on_sigma1) {
  for (size_t n : {1, 2, 3, 64, 1000, 5000}) {
    std::vector<int> m(n);
    for (size_t j = 0; j < n; ++j) m[j] = j % 3 != 1;
    const StreamId id{{8, 9}, 0, 1, static_cast<uint32_t>(n), 0};
    const auto sum = [&](double sigma1) {
      const std::vector<int32_t> b = draw_b(m, id, noise_scale(sigma1, kSigma2));
      int64_t total = 0;
      for (size_t j = 0; j < n; ++j) total += m[j] * int64_t{b[j]};
      return total;
    };
    EXPECT_EQ(sum(0), sum(kSigma1));
    EXPECT_EQ(sum(0), sum(40000));
    EXPECT_NE(sum(0), 0);
  }
}

// The covariance of b (docs/protocol.md, masked, step 1): cyclic tridiagonal on the active rows,
// diagonal on the others.
TEST(Noise, covariance_is_cyclic_tridiagonal) {
  const std::vector<int> m{1, 0, 1, 1, 0, 1, 1, 0};
  const std::vector<size_t> active{0, 2, 3, 5, 6};
  constexpr int kDraws = 100000;
  std::vector<double> covariance(64);
  for (uint32_t i = 0; i < kDraws; ++i) {
    const std::vector<int32_t> b = draw_b(m, {{5, 6}, 0, 0, i, 0}, noise_scale(kSigma1, kSigma2));
    for (size_t x = 0; x < 8; ++x) {
      for (size_t y = 0; y < 8; ++y) {
        covariance[8 * x + y] += static_cast<double>(b[x]) * b[y] / kDraws;
      }
    }
  }
  const double one = kSigma1 * kSigma1;
  const double diagonal = 2 * one + kSigma2 * kSigma2;
  std::vector<double> expected(64);
  for (size_t x = 0; x < 8; ++x) expected[9 * x] = diagonal;
  for (size_t t = 0; t < active.size(); ++t) {
    const size_t x = active[t];
    const size_t y = active[(t + 1) % active.size()];
    expected[8 * x + y] = expected[8 * y + x] = -one;
  }
  const double deviation = diagonal * std::sqrt(2.0 / kDraws);  // at most, for any entry
  for (size_t e = 0; e < 64; ++e) EXPECT_NEAR(covariance[e], expected[e], 4.4 * deviation) << e;
}

// A candidate may have 256 columns: the counter's eight bits tell all of them apart, and the node.
TEST(Noise, all_columns_of_the_widest_candidate_differ) {
  const Scene scene({40, 33}, static_cast<int>(kMaxColumns), noise_scale(0, kSigma2));
  const Batch batch = scene.batch();
  std::vector<int32_t> b(batch.cells() * kMaxColumns);
  const auto backend = cpu_operations(1);
  backend->bind(scene.bins());
  std::vector<std::byte> scratch(backend->scratch_bytes(batch.level));
  backend->noise(batch, scene.draw, b, scratch);
  std::set<std::vector<int32_t>> columns;
  size_t drawn = 0;
  for (size_t i = 0; i < batch.candidates.size(); ++i) {
    const auto n = static_cast<std::ptrdiff_t>(batch.level.size(batch.candidates[i].node));
    for (uint32_t k = 0; k < kMaxColumns; ++k, ++drawn) {
      const auto first =
          b.begin() + static_cast<std::ptrdiff_t>(kMaxColumns * batch.first_cell[i]) + k * n;
      columns.emplace(first, first + n);
    }
  }
  EXPECT_EQ(columns.size(), drawn);
  EXPECT_EQ(drawn, 14 * 256u);
}

TEST(Noise, zero_sigma_gives_exact_sums) {
  const Scene scene({700, 33}, 2, noise_scale(0, 0));
  const Results r = run_all(*cpu(2), scene);
  const Batch batch = scene.batch();
  for (int32_t b : r.b) ASSERT_EQ(b, 0);
  for (size_t i = 0; i < batch.candidates.size(); ++i) {
    const ActiveSet& c = batch.candidates[i];
    int64_t g = 0;
    for (uint32_t j = batch.level.begin[c.node]; j < batch.level.begin[c.node + 1]; ++j) {
      const uint8_t bin = scene.bins().bins[batch.level.rows[j] * Scene::kFeatures + c.feature];
      if (is_active(c.test, bin))
        g += scene.gradients()[batch.level.rows[j]].g * (1 << scene.lift()[c.node]);
    }
    EXPECT_EQ(r.fused_g[i], g);
    EXPECT_EQ(r.sum_g[i], g);
  }
}

TEST(Noise, missing_values_and_flips_choose_the_side) {
  const RowTest plain{4, -1, false, false};
  EXPECT_TRUE(is_active(plain, 4));
  EXPECT_FALSE(is_active(plain, 5));
  const RowTest missing_goes_left{4, 9, true, false};
  EXPECT_TRUE(is_active(missing_goes_left, 9));
  EXPECT_FALSE(is_active(missing_goes_left, 8));
  const RowTest missing_goes_right{9, 9, false, false};
  EXPECT_FALSE(is_active(missing_goes_right, 9));
  const RowTest flipped{4, 9, true, true};
  EXPECT_FALSE(is_active(flipped, 9));
  EXPECT_TRUE(is_active(flipped, 5));
}

TEST(Noise, scale_is_checked) {
  EXPECT_NO_THROW(noise_scale(0, 0));
  EXPECT_NO_THROW(noise_scale(1e5, 4096));
  EXPECT_THROW(noise_scale(0, 4095), KernelError);
  EXPECT_THROW(noise_scale(1e7, 4096), KernelError);
  EXPECT_THROW(noise_scale(-1, 4096), KernelError);
  EXPECT_THROW(noise_scale(NAN, 4096), KernelError);
}

TEST(Batch, blocks_cover_all_candidates_within_the_limit) {
  const Scene scene({1000, 500}, 3, noise_scale(0, 4096));
  const Batch batch = scene.batch();
  const BlockLimits limits{100'000, 60'000, 2};
  size_t first = 0;
  while (first < batch.candidates.size()) {
    const size_t count = plan_block(batch.level, batch.candidates, first, 28, limits);
    const size_t cells = batch.first_cell[first + count] - batch.first_cell[first];
    EXPECT_LE(cells * 28, limits.limit);
    EXPECT_TRUE(cells * 28 <= limits.preferred || count <= limits.at_least);
    ASSERT_GT(count, 0u);
    first += count;
  }
  EXPECT_THROW(plan_block(batch.level, batch.candidates, 0, 28, {27'999, 27'999, 1}), KernelError);
  EXPECT_EQ(plan_block(batch.level, batch.candidates, 0, 28, {28'000, 28'000, 1}), 1u);
}

TEST(Backend, cuda_is_an_error_where_it_is_missing) {
  if (cuda_missing().empty()) GTEST_SKIP() << "a CUDA device is present";
  EXPECT_THROW(cuda_backend(), KernelError);
}

}  // namespace
}  // namespace maskbench::kernels
