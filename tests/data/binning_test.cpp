#include "harness/data/binning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "harness/data/quantile_sketch.hpp"

namespace maskbench {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> shuffled_range(size_t n, uint32_t seed) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  std::mt19937 engine(seed);
  for (size_t i = n; i > 1; --i) std::swap(values[i - 1], values[engine() % i]);
  return values;
}

// The definition, word by word.
int plain_bin(const FeatureCuts& cuts, float x) {
  if (std::isnan(x)) return cuts.has_missing ? cuts.value_bins() : cuts.value_bins() - 1;
  int bin = 0;
  while (bin < static_cast<int>(cuts.cuts.size()) && !(x <= cuts.cuts[bin])) ++bin;
  return bin;
}

std::vector<size_t> bin_sizes(const FeatureCuts& cuts, std::span<const float> values) {
  std::vector<size_t> sizes(cuts.bins());
  for (const float value : values) ++sizes.at(plain_bin(cuts, value));
  return sizes;
}

std::vector<uint8_t> bins_of(const FeatureCuts& cuts, const std::vector<float>& values) {
  Dataset data;
  data.labels.resize(values.size());
  data.features.push_back({"x", values, {}});
  std::vector<uint32_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return bin_rows(data, std::vector<int>{0}, {cuts}, rows).bins;
}

TEST(SortFloats, agrees_with_std_sort) {
  std::mt19937 engine(3);
  std::vector<float> values = {0.0f, -0.0f, kInf, -kInf, 1e-42f, -1e-42f, 3.0f, -3.0f, 3.0f};
  for (int i = 0; i < 5000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(engine()));
    if (!std::isnan(value)) values.push_back(value);
  }
  std::vector<float> expected = values;
  std::sort(expected.begin(), expected.end());
  sort_floats(values);
  EXPECT_EQ(values, expected);
}

TEST(FindCuts, continuous_values_get_equal_mass) {
  for (const size_t n : {3200u, 3217u, 33u, 64u}) {
    const std::vector<float> values = shuffled_range(n, 1);
    const FeatureCuts cuts = find_cuts(values, 32);
    ASSERT_EQ(cuts.value_bins(), 32) << n;
    for (const size_t size : bin_sizes(cuts, values)) {
      EXPECT_GE(size, n / 32) << n;
      EXPECT_LE(size, n / 32 + 1) << n;
    }
  }
}

TEST(FindCuts, few_distinct_values_get_a_bin_each) {
  const std::vector<float> values = {3, 1, 2, 2, 2, 2, 7, 1};
  const FeatureCuts cuts = find_cuts(values, 4);
  EXPECT_EQ(cuts.cuts, (std::vector<float>{1.5f, 2.5f, 5.0f}));
  EXPECT_EQ(cuts.bins(), 4);
  EXPECT_EQ(cuts.missing_bin(), -1);
}

TEST(FindCuts, a_heavy_value_has_its_own_bin_and_the_others_share_the_rest) {
  std::vector<float> values(9000, 0.0f);
  for (int i = 1; i <= 1000; ++i) values.push_back(static_cast<float>(i));
  const FeatureCuts cuts = find_cuts(values, 11);
  ASSERT_EQ(cuts.value_bins(), 11);
  const std::vector<size_t> sizes = bin_sizes(cuts, values);
  EXPECT_EQ(sizes[0], 9000u);
  for (size_t bin = 1; bin < sizes.size(); ++bin) EXPECT_EQ(sizes[bin], 100u) << bin;
}

TEST(FindCuts, never_more_bins_than_asked_and_every_cut_separates) {
  std::mt19937 engine(11);
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<float> values(1 + engine() % 500);
    const uint32_t kinds = 1 + engine() % 300;
    const uint32_t skew = engine() % 4;  // some values far heavier than others
    for (float& value : values) {
      uint32_t kind = engine() % kinds;
      for (uint32_t s = 0; s < skew; ++s) kind = std::min<uint32_t>(kind, engine() % kinds);
      value = engine() % 20 == 0 ? kNan : static_cast<float>(kind) / 7;
    }
    const int max_bins = 1 + static_cast<int>(engine() % 256);
    const FeatureCuts cuts = find_cuts(values, max_bins);
    EXPECT_LE(cuts.value_bins(), max_bins);
    EXPECT_LE(cuts.bins(), 256);
    EXPECT_TRUE(std::is_sorted(cuts.cuts.begin(), cuts.cuts.end(), std::less_equal<>()));
    const std::vector<size_t> sizes = bin_sizes(cuts, values);
    const bool any_value = sizes[0] > 0;
    for (const size_t size : sizes) EXPECT_TRUE(size > 0 || !any_value) << trial;
  }
}

TEST(FindCuts, missing_takes_one_of_256_bins) {
  std::vector<float> values = shuffled_range(5000, 2);
  values.push_back(kNan);
  const FeatureCuts cuts = find_cuts(values, 256);
  EXPECT_EQ(cuts.value_bins(), 255);
  EXPECT_EQ(cuts.bins(), 256);
  EXPECT_EQ(bins_of(cuts, {kNan}), std::vector<uint8_t>{255});
}

TEST(FindCuts, extreme_neighbours_are_separated) {
  const float next = std::nextafter(1.0f, 2.0f);
  const float big = std::numeric_limits<float>::max();
  const std::vector<float> values = {-kInf, -big, 1.0f, next, big, kInf};
  const FeatureCuts cuts = find_cuts(values, 32);
  ASSERT_EQ(cuts.value_bins(), 6);
  EXPECT_EQ(bins_of(cuts, values), (std::vector<uint8_t>{0, 1, 2, 3, 4, 5}));
}

TEST(FindCuts, empty_all_missing_and_constant_columns_have_one_value_bin) {
  EXPECT_EQ(find_cuts(std::vector<float>{}, 32).bins(), 1);
  EXPECT_EQ(find_cuts(std::vector<float>{kNan, kNan}, 32).bins(), 2);
  EXPECT_EQ(find_cuts(std::vector<float>{5, 5, 5}, 32).bins(), 1);
  EXPECT_THROW(find_cuts(std::vector<float>{1}, 0), std::invalid_argument);
}

TEST(QuantileSketch, rank_error_stays_within_its_bound) {
  constexpr size_t kBuffer = 256, kValues = 100'000;
  std::vector<float> orders[3] = {shuffled_range(kValues, 5), shuffled_range(kValues, 6), {}};
  std::sort(orders[1].begin(), orders[1].end());
  for (size_t i = 0; i < kValues; ++i) {  // high and low in turn
    orders[2].push_back(static_cast<float>(i % 2 ? kValues - 1 - i / 2 : i / 2));
  }
  const double bound = kValues * std::ceil(std::log2(1.0 * kValues / kBuffer)) / (2 * kBuffer);
  for (const std::vector<float>& values : orders) {
    QuantileSketch sketch(kBuffer);
    sketch.add(values);
    uint64_t weight = 0;
    double worst = 0;
    for (const WeightedValue& item : sketch.summary()) {
      weight += item.weight;  // the sketch's count of values <= item.value; the true one is value+1
      worst = std::max(worst, std::abs(static_cast<double>(weight) - (item.value + 1.0)));
    }
    EXPECT_EQ(weight, kValues);
    EXPECT_LE(worst, bound);
  }
}

TEST(FindCuts, large_columns_are_cut_near_the_exact_quantiles) {
  const size_t n = kExactValues + 100'001;
  const std::vector<float> values = shuffled_range(n, 7);
  const FeatureCuts cuts = find_cuts(values, 32);
  ASSERT_EQ(cuts.value_bins(), 32);
  const double bound = 1 + static_cast<double>(n) * 3 / (2 * kSketchBuffer);
  for (int k = 0; k < 31; ++k) {
    EXPECT_NEAR(cuts.cuts[k], static_cast<double>(n) * (k + 1) / 32, 2 * bound);
  }
}

TEST(FindCuts, large_columns_keep_rare_values_when_there_are_few) {
  std::vector<float> values(kExactValues + 10, 1.0f);
  values[77] = 2.0f;
  values[99'999] = -4.0f;
  EXPECT_EQ(find_cuts(values, 32).cuts, (std::vector<float>{-1.5f, 1.5f}));
}

TEST(BinRows, equals_the_definition_for_every_number_of_cuts) {
  Dataset data;
  std::mt19937 engine(5);
  std::vector<int> features;
  std::vector<FeatureCuts> cuts;
  for (int f = 0; f < 256; ++f) {
    FeatureCuts c;
    for (int k = 0; k < f; ++k) c.cuts.push_back(static_cast<float>(k));
    c.has_missing = f < 255 && f % 2 == 0;
    cuts.push_back(c);
    Column column;
    for (int row = 0; row < 90; ++row) {
      const uint32_t draw = engine() % 600;
      column.values.push_back(draw < 30 ? kNan : draw < 40 ? kInf : static_cast<float>(draw) / 2);
    }
    data.features.push_back(column);
    features.push_back(255 - f);
  }
  std::reverse(cuts.begin(), cuts.end());
  data.labels.resize(90);
  const std::vector<uint32_t> rows = {3, 5, 5, 0, 89, 17, 44};
  const BinnedMatrix binned = bin_rows(data, features, cuts, rows);
  ASSERT_EQ(binned.bins.size(), rows.size() * 256);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int j = 0; j < 256; ++j) {
      const float x = data.features[features[j]].values[rows[i]];
      ASSERT_EQ(binned.at(i, j), plain_bin(cuts[j], x)) << "row " << i << " column " << j;
    }
  }
}

TEST(BinRows, missing_only_in_the_test_rows_lies_in_the_last_value_bin) {
  Dataset data;
  data.labels.resize(4);
  data.features.push_back({"x", {1, 2, 3, kNan}, {}});
  const std::vector<int> features = {0};
  const std::vector<uint32_t> train = {0, 1, 2}, test = {3};
  const std::vector<FeatureCuts> cuts = find_cuts(data, features, train, 32);
  EXPECT_FALSE(cuts[0].has_missing);
  EXPECT_EQ(bin_rows(data, features, cuts, test).bins, std::vector<uint8_t>{2});
}

}  // namespace
}  // namespace maskbench
