#include "harness/trees/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/math.hpp"

namespace maskbench {
namespace {

double auc_by_pairs(const std::vector<float>& scores, const std::vector<float>& labels) {
  double right = 0, pairs = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    for (size_t j = 0; j < scores.size(); ++j) {
      if (labels[i] < 0.5f || labels[j] > 0.5f) continue;
      pairs += 1;
      right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  }
  return right / pairs;
}

TEST(Auc, equals_counting_pairs_with_ties_and_signs) {
  std::mt19937 random(1);
  for (int levels : {1, 2, 5, 1000000}) {
    std::vector<float> scores, labels;
    for (int j = 0; j < 400; ++j) {
      scores.push_back(static_cast<float>(static_cast<int>(random() % levels) - levels / 2) *
                       0.01f);
      labels.push_back(random() % 3 == 0 ? 1.0f : 0.0f);
    }
    scores[0] = -0.0f;
    EXPECT_DOUBLE_EQ(auc(scores, labels), auc_by_pairs(scores, labels)) << levels;
  }
}

TEST(Auc, extremes) {
  const std::vector<float> scores = {-3, -1, 2, 5};
  EXPECT_EQ(auc(scores, std::vector<float>{0, 0, 1, 1}), 1.0);
  EXPECT_EQ(auc(scores, std::vector<float>{1, 1, 0, 0}), 0.0);
  EXPECT_TRUE(std::isnan(auc(scores, std::vector<float>{1, 1, 1, 1})));
}

TEST(LogLoss, worked_example_and_clipping) {
  EXPECT_NEAR(log_loss(std::vector<float>{0, 2}, std::vector<float>{1, 0}),
              (std::log(2.0) + 2.126928) / 2, 1e-6);
  EXPECT_NEAR(log_loss(std::vector<float>{-80}, std::vector<float>{1}), -std::log(1e-7), 1e-6);
}

TEST(Accuracy, counts_signs) {
  EXPECT_EQ(accuracy(std::vector<float>{1, -1, 3, -2}, std::vector<float>{1, 1, 0, 0}), 0.5);
}

TEST(Rmse, worked_example) {
  EXPECT_DOUBLE_EQ(rmse(std::vector<float>{1, 2}, std::vector<float>{1, 4}), std::sqrt(2.0));
}

TEST(Math, exp_and_log_agree_with_libm) {
  for (float x = -87; x <= 87; x += 0.0137f) {
    EXPECT_NEAR(exp_f32(x) / std::exp(double{x}), 1, 3e-7) << x;
  }
  for (double x = 1e-12; x < 1e12; x *= 1.0137)
    EXPECT_NEAR(log_f64(x), std::log(x), 1e-15 * (1 + std::abs(std::log(x)))) << x;
}

TEST(PeakMemory, sees_an_allocation) {
  reset_peak_memory();
  const uint64_t before = peak_memory();
  std::vector<char> block(size_t{64} << 20, 1);
  EXPECT_GE(peak_memory(), before + (size_t{50} << 20));
  EXPECT_EQ(block.back(), 1);
}

}  // namespace
}  // namespace maskbench
