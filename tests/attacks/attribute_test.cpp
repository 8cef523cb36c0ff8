#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <bit>

#include "attacks/chain_posterior.hpp"
#include "attacks/min_sum.hpp"
#include "attacks/nesting.hpp"
#include "harness/base/random.hpp"
#include "harness/privacy/normal.hpp"
#include "harness/privacy/theorem2.hpp"
#include "tests/attacks/scene.hpp"

namespace maskbench {
namespace {

using Matrix = Eigen::MatrixXd;

// One column of B in units of sigma2.
std::vector<float> column(const std::vector<bool>& m, double R, Draws& draws) {
  const auto normal = [&] { return privacy::normal_quantile(draws.uniform() + 0x1p-54); };
  std::vector<double> p;
  for (bool active : m)
    if (active) p.push_back(std::sqrt(R) * normal());
  std::vector<float> b;
  double previous = p.empty() ? 0 : p.back();
  size_t rank = 0;
  for (bool active : m) {
    double value = normal();
    if (active) {
      value += p[rank] - previous;
      previous = p[rank++];
    } else {
      value += std::sqrt(2 * R) * normal();
    }
    b.push_back(static_cast<float>(value));
  }
  return b;
}

std::vector<bool> random_bits(size_t n, size_t active, Draws& draws) {
  std::vector<bool> m(n, false);
  for (size_t left = active; left > 0;) {
    const uint32_t j = draws.below(static_cast<uint32_t>(n));
    if (m[j]) continue;
    m[j] = true;
    --left;
  }
  return m;
}

// The exact posterior of every bit by enumerating all vectors with n_A active rows.
std::vector<double> enumerated(const std::vector<std::vector<float>>& columns, int active,
                               double R) {
  const int n = static_cast<int>(columns[0].size());
  Matrix gram = Matrix::Zero(n, n), covariance(active, active);
  for (const auto& b : columns) {
    const Eigen::VectorXf v = Eigen::Map<const Eigen::VectorXf>(b.data(), n);
    gram += v.cast<double>() * v.cast<double>().transpose();
  }
  for (int i = 0; i < active; ++i)
    for (int j = 0; j < active; ++j)
      covariance(i, j) = privacy::active_covariance(active, i, j, R, 1.0);
  const Matrix precision = covariance.inverse();
  std::vector<double> loss;
  std::vector<uint32_t> subsets;
  for (uint32_t set = 0; set < 1u << n; ++set) {
    if (std::popcount(set) != active) continue;
    std::vector<int> rows;
    double quadratic = 0;
    for (int j = 0; j < n; ++j) {
      if (set >> j & 1)
        rows.push_back(j);
      else
        quadratic += gram(j, j) / (2 * R + 1);
    }
    for (int i = 0; i < active; ++i)
      for (int j = 0; j < active; ++j)
        quadratic +=
            precision(i, j) * gram(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(j)]);
    subsets.push_back(set);
    loss.push_back(quadratic / 2);
  }
  const double least = *std::min_element(loss.begin(), loss.end());
  std::vector<double> out(static_cast<size_t>(n), 0.0);
  double total = 0;
  for (size_t s = 0; s < subsets.size(); ++s) {
    const double weight = std::exp(least - loss[s]);
    total += weight;
    for (int j = 0; j < n; ++j)
      if (subsets[s] >> j & 1) out[static_cast<size_t>(j)] += weight;
  }
  for (double& p : out) p /= total;
  return out;
}

double match_of_top(const std::vector<double>& score, const std::vector<bool>& m, size_t active) {
  std::vector<double> sorted = score;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(active - 1),
                   sorted.end(), std::greater<>());
  double hits = 0;
  for (size_t j = 0; j < m.size(); ++j) hits += (score[j] >= sorted[active - 1]) == m[j];
  return hits / static_cast<double>(m.size());
}

// P(m_j | b) of the open chain with independent bits, by enumerating all 2^n vectors.
TEST(ChainPosterior, equals_the_enumeration_of_the_open_chain) {
  Draws draws(derive_key(1, "chain"));
  for (double R : {0.03, 1.32, 30.0}) {
    const int n = 8;
    const std::vector<float> b = column(random_bits(8, 4, draws), R, draws);
    std::vector<float> prior, out(8);
    for (int j = 0; j < n; ++j) prior.push_back(static_cast<float>(draws.uniform() - 0.5));
    ChainPosterior(R).evidence(b, prior, out);
    std::vector<double> on(8, 0.0), off(8, 0.0);
    for (uint32_t set = 0; set < 1u << n; ++set) {
      std::vector<int> rows;
      double log_weight = 0;
      for (int j = 0; j < n; ++j) {
        const double odds = prior[static_cast<size_t>(j)], x = b[static_cast<size_t>(j)];
        if (set >> j & 1) {
          rows.push_back(j);
          log_weight -= std::log1p(std::exp(-odds));
        } else {
          log_weight -=
              std::log1p(std::exp(odds)) + x * x / (2 * (2 * R + 1)) + std::log(2 * R + 1) / 2;
        }
      }
      const auto k = static_cast<Eigen::Index>(rows.size());
      if (k > 0) {
        Matrix covariance = Matrix::Zero(k, k);
        Eigen::VectorXd v(k);
        for (Eigen::Index i = 0; i < k; ++i) {
          covariance(i, i) = 2 * R + 1;
          if (i > 0) covariance(i, i - 1) = covariance(i - 1, i) = -R;
          v[i] = b[static_cast<size_t>(rows[static_cast<size_t>(i)])];
        }
        log_weight -=
            v.dot(covariance.ldlt().solve(v)) / 2 + std::log(covariance.determinant()) / 2;
      }
      for (size_t j = 0; j < 8; ++j) (set >> j & 1 ? on : off)[j] += std::exp(log_weight);
    }
    for (size_t j = 0; j < 8; ++j)
      EXPECT_NEAR(out[j], std::log(on[j] / off[j]) - prior[j], 2e-3) << "R " << R << " row " << j;
  }
}

// docs/audit.md, A2: n = 16, n_A = 8, bit match of min-sum and of the exact posterior.
struct Row {
  double R;
  int messages;
  double exact;
};

TEST(AttributeTheory, exact_posterior_meets_the_numbers_and_min_sum_stays_below) {
  Draws draws(derive_key(2, "theory"));
  for (const Row& row : {Row{1.32, 1, 0.563}, Row{0.462, 60, 0.950}, Row{0.154, 60, 0.662}}) {
    const int runs = row.messages == 1 ? 300 : 60;
    double exact = 0, minsum = 0;
    for (int run = 0; run < runs; ++run) {
      const std::vector<bool> m = random_bits(16, 8, draws);
      std::vector<std::vector<float>> columns;
      for (int k = 0; k < row.messages; ++k) columns.push_back(column(m, row.R, draws));
      exact += match_of_top(enumerated(columns, 8, row.R), m, 8) / runs;
      std::vector<std::span<const float>> views(columns.begin(), columns.end());
      std::vector<double> guess(16, 0.0);
      for (uint32_t j : min_sum_rows(views, 8, static_cast<uint64_t>(run))) guess[j] = 1;
      minsum += match_of_top(guess, m, 8) / runs;
    }
    // Standard error: .13/sqrt(runs), i.e. .0075 and .017.
    EXPECT_NEAR(exact, row.exact, row.messages == 1 ? 0.03 : 0.05) << row.R;
    EXPECT_GT(exact, minsum) << row.R;
  }
}

TEST(Nesting, groups_by_rising_counts_and_sees_missing_values) {
  //                                  plain        every cut twice, 5 missing rows; any value
  const std::vector<uint32_t> active = {10, 20, 70, 8, 13, 30, 35, 50, 55, 95, 4, 9};
  const auto groups = nested_groups(active, 100);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].candidates, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(groups[1].candidates, (std::vector<size_t>{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(groups[2].candidates, (std::vector<size_t>{10, 11}));
  // Without evidence the odds are those of n_A.
  std::vector<float> odds(7);
  groups[1].posterior(std::vector<float>(7, 0.0f), odds);
  for (size_t c = 0; c < 7; ++c)
    EXPECT_NEAR(1 / (1 + std::exp(-odds[c])), active[3 + c] / 100.0, 1e-3) << c;
  // Sure evidence of one cut decides the wider ones.
  std::vector<float> plain(3);
  groups[0].posterior(std::vector<float>{20, 0, 0}, plain);
  EXPECT_GT(plain[2], 10);
}

class Attribute : public testing::Test {
 protected:
  static const toy::Parties& parties() {
    static const toy::Parties p = toy::parties(1500, 6, 5, 16);
    return p;
  }
};

TEST_F(Attribute, likelihood_is_above_min_sum_and_grows_with_the_mask_and_the_repeats) {
  double previous = 0.5;
  for (const auto& [ratio, rounds] : {std::pair{1.32, 1}, std::pair{16.0, 1}}) {
    RunSpec spec = scene::spec("masked", "attribute-minsum");
    spec.train.rounds = spec.attack.trees = rounds;
    spec.privacy.ratio = ratio;
    auto weak = scene::attack(spec, parties());
    spec.attack.name = "attribute-likelihood";
    auto strong = scene::attack(spec, parties());
    EXPECT_GT(strong["bit_match"], weak["bit_match"]) << ratio;
    EXPECT_GT(strong["balanced_bit_match"], weak["balanced_bit_match"]) << ratio;
    EXPECT_GE(strong["bit_match"], strong["bit_match_floor"]) << ratio;
    EXPECT_GT(strong["balanced_bit_match"], previous + 0.02) << ratio;
    previous = strong["balanced_bit_match"];
  }
  RunSpec spec = scene::spec("masked", "attribute-likelihood");
  spec.privacy.ratio = 1.32;
  const double once = scene::attack(spec, parties())["balanced_bit_match"];
  spec.train.rounds = spec.attack.trees = 6;
  EXPECT_GT(scene::attack(spec, parties())["balanced_bit_match"], once + 0.05);
}

// R -> 0: active and inactive rows have the same noise, so B carries nothing.
TEST_F(Attribute, likelihood_is_blind_without_a_mask) {
  RunSpec spec = scene::spec("masked", "attribute-likelihood");
  spec.privacy.ratio = 1e-6;
  auto m = scene::attack(spec, parties());
  EXPECT_NEAR(m["bit_auc"], 0.5, 0.02);
  EXPECT_NEAR(m["bit_match"], m["bit_match_floor"], 0.01);
}

TEST_F(Attribute, reads_buckets_and_projections) {
  RunSpec spec = scene::spec("federboost", "attribute-likelihood");
  spec.privacy.eps_pp = 30;  // ten a feature: nearly in clear
  EXPECT_GT(scene::attack(spec, parties())["bit_match"], 0.99);
  spec.privacy.eps_pp = 0.001;
  auto blind = scene::attack(spec, parties());
  EXPECT_NEAR(blind["balanced_bit_match"], 0.5, 0.02);
  EXPECT_GT(scene::attack(scene::spec("smm", "attribute-likelihood"), parties())["bit_match"],
            0.99);
  spec = scene::spec("opboost", "attribute-likelihood");
  spec.privacy.eps_pp = 80;  // nearly in clear
  EXPECT_GT(scene::attack(spec, parties())["bit_match"], 0.95);
  spec.privacy.eps_pp = 0.001;
  EXPECT_NEAR(scene::attack(spec, parties())["balanced_bit_match"], 0.5, 0.02);
  std::string reason;
  spec = scene::spec("late-fusion", "attribute-likelihood");
  scene::attack(spec, parties(), &reason);
  EXPECT_NE(reason.find("no noise B"), std::string::npos);
  spec.late_fusion.stack_eps = 1;
  scene::attack(spec, parties(), &reason);
  EXPECT_NE(reason.find("not of a feature"), std::string::npos);
  scene::attack(scene::spec("xgb-ldp", "attribute-likelihood"), parties(), &reason);
  EXPECT_NE(reason.find("no noise B"), std::string::npos);
}

}  // namespace
}  // namespace maskbench
