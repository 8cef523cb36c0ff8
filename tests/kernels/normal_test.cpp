#include "kernels/random/normal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <numeric>
#include <vector>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/random/normal64.hpp"
#include "tests/kernels/statistics.hpp"

namespace maskbench::kernels {
namespace {

constexpr size_t kDraws = 10'000'000;

// Box-Muller in long double, with the bits read as normal_pair reads them.
template <int kBits>
std::pair<long double, long double> exact_pair(int64_t odd, int64_t angle) {
  const long double u = std::abs(static_cast<long double>(odd)) / std::exp2(kBits - 1.0L);
  const long double t = static_cast<long double>(angle) / std::exp2(kBits - 1.0L) *
                        std::numbers::pi_v<long double> / 4;
  const long double r = std::sqrt(-2 * std::log(u));
  const long double quarter = std::numbers::pi_v<long double> / 4;
  return {std::copysign(1.0L, odd) * r * std::cos(t + quarter),
          (angle & 1 ? -1 : 1) * r * std::sin(t + quarter)};
}

std::vector<uint32_t> hard_words() {
  std::vector<uint32_t> words{0, 1, 2, 3, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x5a827999u};
  for (int bit = 0; bit < 32; ++bit) {
    words.push_back(1u << bit);
    words.push_back((1u << bit) - 1);
    words.push_back(~(1u << bit));
  }
  std::mt19937 rng(5);
  for (int i = 0; i < 3000; ++i) words.push_back(static_cast<uint32_t>(rng()) >> (i % 31));
  return words;
}

// The radius' word is rounded to 24 bits, which a small radius feels: there the error may reach one
// step of the coarsest grid, 2^-12 (radii below 2^-12 have probability 2^-25).
TEST(Normal, error_is_below_1_5e_6_and_below_a_step_at_tiny_radii) {
  double worst = 0;
  double worst_tiny = 0;
  const std::vector<uint32_t> words = hard_words();
  for (uint32_t u : words) {
    for (size_t j = 0; j < words.size(); j += 7) {
      const uint32_t v = words[j];
      const auto [x, y] = exact_pair<32>(static_cast<int32_t>(u | 1), static_cast<int32_t>(v));
      const NormalPair z = normal_pair(u, v);
      const double error = std::max(std::abs(static_cast<double>(z.z0 - x)),
                                    std::abs(static_cast<double>(z.z1 - y)));
      double& largest = x * x + y * y < 0.05L * 0.05L ? worst_tiny : worst;
      largest = std::max(largest, error);
    }
  }
  EXPECT_LT(worst, 1.5e-6);
  EXPECT_GT(worst, 1e-8);  // the comparison compares
  EXPECT_LT(worst_tiny, 0x1p-12);
  std::printf("max error %.2g, at radii below .05 %.2g\n", worst, worst_tiny);
}

TEST(Normal, reaches_6_5_sigma_and_never_more) {
  double largest = 0;
  for (uint32_t u : hard_words()) {
    for (uint32_t v : {0x80000000u, 0x7fffffffu, 0u}) {
      const NormalPair z = normal_pair(u, v);
      ASSERT_TRUE(std::isfinite(z.z0) && std::isfinite(z.z1));
      largest = std::max<double>({largest, std::abs(z.z0), std::abs(z.z1)});
    }
  }
  EXPECT_GT(largest, 6.55);
  EXPECT_LT(largest, kNormalMax);
}

TEST(Normal64, error_is_below_1e_14_and_tail_beyond_9_sigma) {
  std::mt19937_64 rng(6);
  double worst = 0;
  double largest = 0;
  for (int i = 0; i < 200000; ++i) {
    const uint64_t u = rng() >> (i % 63);
    const uint64_t v = i % 100 == 0 ? uint64_t{1} << 63 : rng();
    const auto [x, y] = exact_pair<64>(static_cast<int64_t>(u | 1), static_cast<int64_t>(v));
    const NormalPair64 z = normal_pair64(u, v);
    worst = std::max(
        {worst, std::abs(static_cast<double>(z.z0 - x)), std::abs(static_cast<double>(z.z1 - y))});
    largest = std::max({largest, std::abs(z.z0), std::abs(z.z1)});
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_LT(largest, kNormal64Max);
  const NormalPair64 extreme = normal_pair64(0, uint64_t{1} << 63);
  EXPECT_GT(std::max(std::abs(extreme.z0), std::abs(extreme.z1)), 9.3);
}

std::vector<int32_t> draw(uint32_t candidate, size_t count) {
  const StreamId id{{0x12345678u, 0x9abcdef0u}, 3, 4, candidate, 0};
  std::vector<int32_t> draws(count);
  simd_ops().normals(id, Stream::kRow, NormalSample::kSteps, count, draws.data());
  return draws;
}

TEST(Normal, ten_million_draws_are_standard_normal) {
  NormalSample sample;
  sample.add(draw(1, kDraws));
  EXPECT_EQ(judge(sample), std::vector<std::string>{});
}

bool names(const std::vector<std::string>& wrong, const char* name) {
  return std::find(wrong.begin(), wrong.end(), name) != wrong.end();
}

// The judge's power: each fault is named by every statistic that should see it.
TEST(Normal, judge_sees_a_variance_off_by_one_percent) {
  std::vector<int32_t> draws = draw(1, kDraws);
  for (int32_t& x : draws) x = static_cast<int32_t>(std::lround(x * std::sqrt(1.01)));
  NormalSample sample;
  sample.add(draws);
  const auto wrong = judge(sample);
  for (const char* name : {"variance", "kurtosis", "kolmogorov", "anderson-darling"}) {
    EXPECT_TRUE(names(wrong, name)) << name;
  }
}

TEST(Normal, judge_sees_a_mean_off_by_five_thousandths) {
  std::vector<int32_t> draws = draw(1, kDraws);
  for (int32_t& x : draws) x += static_cast<int32_t>(0.005 * NormalSample::kSteps);
  NormalSample sample;
  sample.add(draws);
  const auto wrong = judge(sample);
  for (const char* name : {"mean", "skewness", "kolmogorov", "anderson-darling"}) {
    EXPECT_TRUE(names(wrong, name)) << name;
  }
}

TEST(Normal, judge_sees_a_missing_tail) {
  std::vector<int32_t> draws = draw(1, kDraws);
  for (int32_t& x : draws) x = std::clamp(x, -4 * NormalSample::kSteps, 4 * NormalSample::kSteps);
  NormalSample sample;
  sample.add(draws);
  EXPECT_TRUE(names(judge(sample), "tail"));
}

TEST(Normal, draws_are_not_correlated) {
  std::vector<int32_t> draws = draw(2, kDraws);
  for (size_t lag : {1, 2, 3, 4, 8, 16, 32, 64, 96, 127, 128, 1024}) {
    EXPECT_LT(std::abs(lag_score(draws, lag)), 4.4) << "lag " << lag;
  }
  std::vector<int32_t> size(draws.size());  // z^2 - 1, of variance 2
  std::transform(draws.begin(), draws.end(), size.begin(), [](int32_t x) {
    const double z = static_cast<double>(x) / NormalSample::kSteps;
    return static_cast<int32_t>((z * z - 1) / std::sqrt(2.0) * NormalSample::kSteps);
  });
  for (size_t lag : {1, 4, 32, 64, 96, 128}) {
    EXPECT_LT(std::abs(lag_score(size, lag)), 4.4) << "squares, lag " << lag;
  }
  for (size_t j = 1; j < draws.size(); ++j) draws[j] += draws[j - 1] / 500;  // correlation .002
  EXPECT_GT(lag_score(draws, 1), 4.4);
}

TEST(Normal64, draws_are_standard_normal) {
  std::vector<int32_t> draws(1'000'000);
  StreamId id{{7, 8}, 0, 0, 0, 0};
  for (size_t i = 0; i < draws.size(); ++i) {
    id.candidate = static_cast<uint32_t>(i);
    draws[i] = static_cast<int32_t>(
        nearest(normal64_at(id, Stream::kCollapsed, 0) * NormalSample::kSteps));
  }
  NormalSample sample;
  sample.add(draws);
  EXPECT_EQ(judge(sample), std::vector<std::string>{});
}

TEST(Normal64, sphere_has_its_radius_and_no_direction) {
  double sum = 0;
  for (uint32_t candidate = 0; candidate < 4000; ++candidate) {
    std::vector<int32_t> c(3);
    draw_sphere({{1, 2}, 0, 0, candidate, 0}, Stream::kSphereC, 1 << 20, c);
    double norm2 = 0;
    for (int32_t x : c) norm2 += static_cast<double>(x) * x;
    ASSERT_NEAR(std::sqrt(norm2), 1 << 20, 8.0);  // the last may move to be coprime
    sum += c[0];
  }
  EXPECT_LT(std::abs(sum / (1 << 20)), 4.4 * std::sqrt(4000 / 3.0));
}

// A common divisor of c would be a modulus under which <g> is free of noise. Small radii, where it
// is frequent before it is mended.
TEST(Normal64, sphere_has_no_common_divisor) {
  int mended = 0;
  for (const size_t W : {2, 3, 16}) {
    for (uint32_t candidate = 0; candidate < 4000; ++candidate) {
      std::vector<int32_t> c(W);
      draw_sphere({{1, 2}, 0, 0, candidate, 0}, Stream::kSphereC, 600, c);
      int32_t divisor = 0;
      double norm2 = 0;
      for (const int32_t x : c) {
        divisor = std::gcd(divisor, x);
        norm2 += static_cast<double>(x) * x;
      }
      ASSERT_EQ(divisor, 1);
      mended += std::abs(std::sqrt(norm2) - 600) > 1;
    }
  }
  EXPECT_GT(mended, 100);
}

TEST(Normal64, signs_are_even_and_independent) {
  int sums[3] = {};
  for (uint32_t candidate = 0; candidate < 40000; ++candidate) {
    const SignPair signs = draw_signs({{1, 2}, 0, 0, candidate, 0});
    ASSERT_EQ(std::abs(signs.c), 1);
    ASSERT_EQ(std::abs(signs.d), 1);
    sums[0] += signs.c;
    sums[1] += signs.d;
    sums[2] += signs.c * signs.d;
  }
  for (const int sum : sums) EXPECT_LT(std::abs(sum), 4.4 * 200);
}

}  // namespace
}  // namespace maskbench::kernels
