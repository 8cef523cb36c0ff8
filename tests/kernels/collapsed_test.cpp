#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/cpu_operations.hpp"

namespace maskbench::kernels {
namespace {

constexpr uint32_t kNodes = 400;
constexpr uint32_t kRowsOfNode = 64;
constexpr uint32_t kCandidates = 1000;  // of each node

// Many small nodes; every candidate has the first 40 of its node's rows active, and g = h = 0, so
// that m'<g> is noise alone.
class ManyNodes {
 public:
  ManyNodes() {
    for (uint32_t r = 0; r < kNodes * kRowsOfNode; ++r) {
      rows_.push_back(r);
      bins_.push_back(r % kRowsOfNode < kActive ? 0 : 1);
    }
    for (uint32_t v = 0; v <= kNodes; ++v) begin_.push_back(v * kRowsOfNode);
    for (uint32_t v = 0; v < kNodes; ++v) node_id_.push_back(v + 1);
    for (uint32_t v = 0; v < kNodes; ++v) {
      for (uint32_t i = 0; i < kCandidates; ++i)
        candidates_.push_back({v, i, 0, {0, -1, false, false}});
    }
    first_cell_.resize(candidates_.size() + 1);
    lay_out(level(), candidates_, first_cell_);
    plus_.assign(candidates_.size(), 1);
    minus_.assign(candidates_.size(), -1);
  }

  // m'<g> / (sqrt(n_A) 4096) for all candidates; <h> must be its mirror image, as d = -c.
  std::vector<double> scores(bool collapsed, double sigma2) const {
    const auto backend = cpu_operations(2);
    backend->bind({bins_, 1});
    const Batch batch{level(), candidates_, first_cell_};
    const std::vector<NoiseScale> scale(candidates_.size(), noise_scale(6000, sigma2));
    const Draw draw{{collapsed ? 1u : 2u, 3u}, 1, scale};
    const Weights weights{plus_, minus_};
    std::vector<int64_t> g(candidates_.size());
    std::vector<int64_t> h(candidates_.size());
    const std::vector<uint32_t> active(candidates_.size(), kActive);
    const std::vector<int64_t> none(candidates_.size(), 0);
    if (collapsed) {
      backend->collapsed(batch, draw, {active, none, none}, weights, {g, h});
    } else {
      backend->fused(batch, draw, {active, none, none}, weights, {g, h});
    }
    std::vector<double> z(g.size());
    for (size_t i = 0; i < g.size(); ++i) {
      EXPECT_EQ(g[i], -h[i]);  // g and h share R
      z[i] = static_cast<double>(g[i]) / (std::sqrt(double{kActive}) * kMinSteps);
    }
    std::sort(z.begin(), z.end());
    return z;
  }

 private:
  static constexpr uint32_t kActive = 40;
  LevelRows level() const { return {1, rows_, begin_, node_id_}; }

  std::vector<uint32_t> rows_, begin_, node_id_;
  std::vector<uint8_t> bins_;
  std::vector<ActiveSet> candidates_;
  std::vector<size_t> first_cell_;
  std::vector<int32_t> plus_, minus_;
};

// Two-sample Kolmogorov-Smirnov, sqrt(n/2) D for two sorted samples of n.
double two_sample(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0;
  size_t j = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    while (j < y.size() && y[j] <= x[i]) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i + 1) - static_cast<double>(j)));
  }
  const auto n = static_cast<double>(x.size());
  return largest / n * std::sqrt(n / 2);
}

// Standardised difference of the two variances.
double variance_score(const std::vector<double>& x, const std::vector<double>& y) {
  const auto variance = [](const std::vector<double>& z) {
    return std::inner_product(z.begin(), z.end(), z.begin(), 0.0) / static_cast<double>(z.size());
  };
  const auto n = static_cast<double>(x.size());
  return (variance(x) / variance(y) - 1) / std::sqrt(4 / n);
}

constexpr double kMaxKolmogorov = 2.3;  // exceeded once in 20000 by equal distributions
constexpr double kMaxScore = 4.0;

TEST(Collapsed, has_the_distribution_of_fused_over_many_nodes) {
  const ManyNodes nodes;
  const std::vector<double> collapsed = nodes.scores(true, kMinSteps);
  const std::vector<double> fused = nodes.scores(false, kMinSteps);
  EXPECT_LT(two_sample(collapsed, fused), kMaxKolmogorov);
  EXPECT_LT(std::abs(variance_score(collapsed, fused)), kMaxScore);
}

TEST(Collapsed, the_test_sees_a_sigma2_off_by_three_percent) {
  const ManyNodes nodes;
  const std::vector<double> collapsed = nodes.scores(true, 1.03 * kMinSteps);
  const std::vector<double> fused = nodes.scores(false, kMinSteps);
  EXPECT_GT(two_sample(collapsed, fused), kMaxKolmogorov);
  EXPECT_GT(std::abs(variance_score(collapsed, fused)), kMaxScore);
}

}  // namespace
}  // namespace maskbench::kernels
