#include "harness/data/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace maskbench {
namespace {

Dataset table(size_t rows, size_t positives, int features) {
  Dataset data;
  data.name = "table";
  data.labels.resize(rows);
  for (size_t i = 0; i < positives; ++i) data.labels[i * rows / positives] = 1.0f;
  for (int f = 0; f < features; ++f) {
    data.features.push_back({"feature" + std::to_string(f), std::vector<float>(rows), {}});
  }
  return data;
}

size_t positives_in(const Dataset& data, const std::vector<uint32_t>& rows) {
  return std::count_if(rows.begin(), rows.end(), [&](uint32_t r) { return data.labels[r] == 1; });
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PartitionRows, is_stratified_exact_disjoint_and_ascending) {
  const Dataset data = table(1003, 251, 2);
  const RowPartition parts = partition_rows(data, 0.2, false, 7);
  EXPECT_EQ(parts.test.size(), 200u);  // 50 of 251, 150 of 752
  EXPECT_EQ(positives_in(data, parts.test), 50u);
  EXPECT_EQ(parts.train.size(), 803u);
  EXPECT_TRUE(std::is_sorted(parts.train.begin(), parts.train.end()));
  EXPECT_TRUE(std::is_sorted(parts.test.begin(), parts.test.end()));
  std::set<uint32_t> all(parts.train.begin(), parts.train.end());
  all.insert(parts.test.begin(), parts.test.end());
  EXPECT_EQ(all.size(), 1003u);
  EXPECT_EQ(*all.rbegin(), 1002u);
}

TEST(PartitionRows, follows_the_seed) {
  const Dataset data = table(500, 100, 2);
  EXPECT_EQ(partition_rows(data, 0.3, false, 1).test, partition_rows(data, 0.3, false, 1).test);
  EXPECT_NE(partition_rows(data, 0.3, false, 1).test, partition_rows(data, 0.3, false, 2).test);
}

TEST(PartitionRows, every_row_is_tested_equally_often) {
  const Dataset data = table(50, 20, 2);
  constexpr int kSeeds = 4000;
  std::vector<int> tested(50);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const uint32_t row : partition_rows(data, 0.2, false, seed).test) ++tested[row];
  }
  double chi2 = 0;  // each count has mean 800 and variance 640
  for (const int count : tested) chi2 += (count - 800.0) * (count - 800.0) / 640.0;
  // About chi2 with 48 degrees of freedom (mean 48, sd 10); taking the first rows gives 10^5.
  EXPECT_LT(chi2, 100.0);
  EXPECT_GT(chi2, 15.0);
}

TEST(PartitionRows, regression_takes_rows_of_any_label) {
  Dataset data = table(100, 10, 2);
  for (size_t i = 0; i < 100; ++i) data.labels[i] = static_cast<float>(i);
  EXPECT_EQ(partition_rows(data, 0.25, true, 3).test.size(), 25u);
}

TEST(PartitionRows, a_class_too_small_to_part_is_named) {
  EXPECT_EQ(error_of([] { partition_rows(table(100, 2, 2), 0.2, false, 1); }),
            "data.test_fraction: 0.2 of the 2 rows with label 1 of table leaves no row to test; "
            "take more rows or another fraction");
  EXPECT_EQ(error_of([] { partition_rows(table(4, 1, 2), 1.0, true, 1); }),
            "data.test_fraction: 1 of the 4 rows of table leaves no row to train; take more rows "
            "or another fraction");
}

TEST(DrawRows, keeps_the_classes_shares) {
  const Dataset data = table(1000, 70, 1);
  const std::vector<uint32_t> rows = draw_rows(data.labels, 300, true, 5, "test");
  EXPECT_EQ(rows.size(), 300u);
  EXPECT_EQ(positives_in(data, rows), 21u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), std::less_equal<>()));
  EXPECT_EQ(positives_in(data, draw_rows(data.labels, 5, true, 5, "test")), 1u);
  EXPECT_EQ(draw_rows(data.labels, 1000, true, 5, "test").size(), 1000u);
  EXPECT_NE(rows, draw_rows(data.labels, 300, true, 6, "test"));
}

TEST(PartitionFeatures, draws_a_share_by_seed) {
  const Dataset data = table(10, 5, 23);
  DataSpec spec;
  std::set<std::vector<int>> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const FeaturePartition parts = partition_features(data, spec, seed);
    EXPECT_EQ(parts.ap.size(), 12u);
    EXPECT_EQ(parts.pp.size(), 11u);
    std::set<int> all(parts.ap.begin(), parts.ap.end());
    all.insert(parts.pp.begin(), parts.pp.end());
    EXPECT_EQ(all.size(), 23u);
    EXPECT_TRUE(std::is_sorted(parts.ap.begin(), parts.ap.end()));
    EXPECT_TRUE(std::is_sorted(parts.pp.begin(), parts.pp.end()));
    seen.insert(parts.ap);
  }
  EXPECT_GT(seen.size(), 15u);
}

TEST(PartitionFeatures, takes_columns_by_name) {
  const Dataset data = table(10, 5, 4);
  DataSpec spec;
  spec.ap_columns = {"feature3", "feature1"};
  const FeaturePartition parts = partition_features(data, spec, 1);
  EXPECT_EQ(parts.ap, (std::vector<int>{1, 3}));
  EXPECT_EQ(parts.pp, (std::vector<int>{0, 2}));
}

TEST(PartitionFeatures, errors_name_the_key_and_the_nearest_feature) {
  const Dataset data = table(10, 5, 3);
  const auto error = [&](std::vector<std::string> columns, double share) {
    DataSpec spec;
    spec.ap_columns = std::move(columns);
    spec.ap_features = share;
    return error_of([&] { partition_features(data, spec, 1); });
  };
  EXPECT_EQ(error({"featur2"}, 0.5),
            "data.ap_columns: 'featur2' is no feature of table; did you mean 'feature2'?");
  EXPECT_EQ(error({"feature1", "feature1"}, 0.5),
            "data.ap_columns: 'feature1' is named twice; drop one");
  EXPECT_EQ(error({"feature0", "feature1", "feature2"}, 0.5),
            "data.ap_columns: AP gets 3 of the 3 features of table; each party needs one");
  EXPECT_EQ(error({}, 0.1),
            "data.ap_features: AP gets 0 of the 3 features of table; each party needs one");
  EXPECT_EQ(error({}, 1.0),
            "data.ap_features: AP gets 3 of the 3 features of table; each party needs one");
}

TEST(NearestName, counts_edits) {
  const std::vector<std::string> names = {"rounds", "max_depth", "max_bins"};
  EXPECT_EQ(nearest_name("max_bin", names), "max_bins");
  EXPECT_EQ(nearest_name("round", names), "rounds");
  EXPECT_EQ(nearest_name("depth", names), "max_depth");
  EXPECT_EQ(nearest_name("x", {}), "");
}

}  // namespace
}  // namespace maskbench
