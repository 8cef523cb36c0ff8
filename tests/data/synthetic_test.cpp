#include "harness/data/synthetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"

namespace maskbench {
namespace {

std::string bytes_of(const Dataset& data) {
  std::string bytes;
  const auto append = [&](const std::vector<float>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  append(data.labels);
  for (const Column& column : data.features) {
    bytes += column.name;
    for (const float value : column.values) {  // a NaN's sign and payload are not ours to promise
      const float plain = std::isnan(value) ? -12345.0f : value;
      bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
    }
    for (const std::string& category : column.categories) bytes += category;
  }
  return bytes;
}

Dataset generate(const SyntheticShape& shape, bool regression = false, int threads = 1) {
  ThreadPool pool(threads);
  return generate_synthetic(shape, regression, pool);
}

double positive_rate(const Dataset& data) {
  return std::accumulate(data.labels.begin(), data.labels.end(), 0.0) /
         static_cast<double>(data.rows());
}

TEST(Synthetic, bytes_are_pinned) {
  SyntheticShape adult = *find_shape("adult");
  EXPECT_EQ(sha256_of_text(bytes_of(generate(adult))),
            "f28a2e8992ce93800c27ec1b397899bdc84da2e3aa41b38dd320b343aaebbca8");
  EXPECT_EQ(sha256_of_text(bytes_of(generate(adult, true))),
            "9f332b8d3698a31287b89456ce63ad9742d6e772bc8029d2e943aa023b5d6b3b");
  EXPECT_EQ(sha256_of_text(bytes_of(generate({"mine", 999, 7, 0.3}))),
            "64438edd5e84dfd9823d69314def068bc82a60abb47bc1a20cfce3828f73572e");
}

TEST(Synthetic, does_not_depend_on_threads) {
  const SyntheticShape shape{"mine", 20000, 5, 0.2};
  EXPECT_EQ(bytes_of(generate(shape, false, 1)), bytes_of(generate(shape, false, 3)));
}

TEST(Synthetic, has_the_shapes_of_the_papers_data) {
  for (const char* name : {"credit1", "adult", "credit2", "higgs", "bank", "nomao"})
    EXPECT_NE(find_shape(name), nullptr) << name;
  for (const SyntheticShape& shape : known_shapes()) {
    const Dataset data = generate(shape, false, 2);
    EXPECT_EQ(data.rows(), shape.rows) << shape.name;
    EXPECT_EQ(data.features.size(), static_cast<size_t>(shape.features)) << shape.name;
    EXPECT_NEAR(positive_rate(data), shape.positive_rate, 0.5 / data.rows() + 1e-9) << shape.name;
    std::set<std::string> names;
    size_t categorical = 0, with_missing = 0;
    for (const Column& column : data.features) {
      names.insert(column.name);
      categorical += column.is_categorical();
      bool missing = false;
      for (const float value : column.values) {
        missing |= std::isnan(value);
        if (column.is_categorical() && !std::isnan(value)) {
          ASSERT_TRUE(value >= 0 && value < column.categories.size() && value == std::floor(value));
        }
      }
      with_missing += missing;
    }
    EXPECT_EQ(names.size(), data.features.size()) << shape.name;
    EXPECT_EQ(categorical > 0, shape.categorical > 0) << shape.name;
    EXPECT_EQ(with_missing > 0, shape.missing > 0) << shape.name;
  }
}

// Standardised difference of the class means, or of the classes' squared values.
double separation(const std::vector<float>& values, const std::vector<float>& labels, int power) {
  double sum[2] = {}, squares[2] = {}, count[2] = {};
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double x = power == 1 ? values[i] : values[i] * values[i];
    const int label = labels[i] > 0.5f;
    sum[label] += x, squares[label] += x * x, count[label] += 1;
  }
  const double a = sum[0] / count[0], b = sum[1] / count[1];
  const double variance = squares[0] / count[0] - a * a + squares[1] / count[1] - b * b;
  return std::abs(a - b) / std::sqrt(variance / 2);
}

TEST(Synthetic, signal_is_spread_over_the_features) {
  const Dataset data = generate(*find_shape("higgs"), false, 2);
  int telling = 0;
  for (const Column& column : data.features) {
    // 200000 rows: the standard error is about 0.0045, so 0.03 is over six of them.
    telling += std::max(separation(column.values, data.labels, 1),
                        separation(column.values, data.labels, 2)) > 0.03;
  }
  EXPECT_GE(telling, 22);
}

TEST(Synthetic, rate_rows_and_features_can_be_overridden) {
  SyntheticShape shape = *find_shape("credit1");
  shape.rows = 5001;
  shape.features = 3;
  shape.positive_rate = 0.4;
  const Dataset data = generate(shape);
  EXPECT_EQ(data.rows(), 5001u);
  EXPECT_EQ(data.features.size(), 3u);
  EXPECT_EQ(positive_rate(data) * 5001, 2000);
  EXPECT_NE(data.sha256, generate(*find_shape("credit1")).sha256);
}

TEST(Synthetic, regression_labels_are_finite_scores) {
  const Dataset data = generate({"mine", 5000, 6, 0.5}, true);
  double sum = 0, squares = 0;
  for (const float label : data.labels) {
    ASSERT_TRUE(std::isfinite(label));
    sum += label, squares += label * label;
  }
  const double variance = squares / 5000 - sum / 5000 * (sum / 5000);
  EXPECT_GT(variance, 0.5);
  EXPECT_LT(variance, 4.0);
}

TEST(Synthetic, impossible_shapes_are_refused) {
  EXPECT_THROW(generate({"mine", 1, 5, 0.5}), Error);
  EXPECT_THROW(generate({"mine", 10, 0, 0.5}), Error);
  EXPECT_THROW(generate({"mine", 10, 5, 1.0}), Error);
  EXPECT_EQ(positive_rate(generate({"mine", 10, 5, 0.001})), 0.1);  // at least one of each class
}

TEST(Sha256, known_digests) {
  EXPECT_EQ(sha256_of_text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(sha256_of_file("/nonexistent"), Error);
}

}  // namespace
}  // namespace maskbench
