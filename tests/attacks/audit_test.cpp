// The auditor, first on mechanisms that are known: sound ones it must not accuse, broken ones it
// must catch.
#include "attacks/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace maskbench {
namespace {

using Random = std::mt19937_64;

std::vector<double> trials(size_t n, uint64_t seed, const std::function<double(Random&)>& run) {
  Random random(seed);
  std::vector<double> out(n);
  for (double& score : out) score = run(random);
  return out;
}

double normal(Random& random, double sigma) {
  return std::normal_distribution<double>(0, sigma)(random);
}

constexpr double kEps = 4, kDelta = 0.001;
constexpr double kExactM = 1.2150;  // the analytic Gaussian mechanism: docs/privacy.md 2
constexpr size_t kTrials = 200'000;

double audited(const std::function<double(Random&, double)>& mechanism, uint64_t seed = 1) {
  const auto zero = trials(kTrials, seed, [&](Random& r) { return mechanism(r, 0); });
  const auto one = trials(kTrials, seed + 1000, [&](Random& r) { return mechanism(r, 1); });
  return eps_lower_bound(zero, one, kDelta).eps;
}

TEST(ClopperPearson, worked_examples) {
  // R: binom.test(5, 10), binom.test(0, 20): the 95 % intervals.
  EXPECT_NEAR(rate_at_least(5, 10, 0.975), 0.1870860, 1e-6);
  EXPECT_NEAR(rate_at_most(5, 10, 0.975), 0.8129140, 1e-6);
  EXPECT_NEAR(rate_at_most(0, 20, 0.975), 0.1684335, 1e-6);
  EXPECT_EQ(rate_at_least(0, 20, 0.975), 0);
  EXPECT_EQ(rate_at_most(20, 20, 0.975), 1);
}

TEST(Audit, a_sound_gaussian_is_not_accused_and_nearly_all_of_its_eps_is_found) {
  const auto sound = [](Random& r, double x) { return x + normal(r, 1 / kExactM); };
  for (uint64_t seed : {1, 2, 3}) {
    const double eps = audited(sound, seed);
    EXPECT_LT(eps, kEps);
    EXPECT_GT(eps, 0.75 * kEps);
  }
}

// 60 audits at 95 %: more than 9 false accusations has probability 6e-4.
TEST(Audit, accuses_a_mechanism_at_its_limit_in_at_most_5_percent_of_the_audits) {
  const double flip = 1 / (1 + std::exp(1.0));
  int accused = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto response = [&](double y) {
      return trials(2000, 7 * seed + static_cast<uint64_t>(y), [&](Random& r) {
        return std::uniform_real_distribution<>()(r) < flip ? 1 - y : y;
      });
    };
    accused += eps_lower_bound(response(0), response(1), 0).eps > 1;
  }
  EXPECT_LE(accused, 9);
}

TEST(Audit, catches_noise_scaled_by_0_8) {
  const auto weak = [](Random& r, double x) { return x + normal(r, 0.8 / kExactM); };
  for (uint64_t seed : {1, 2, 3}) EXPECT_GT(audited(weak, seed), kEps);
}

// Two messages, each private with fresh noise at half the budget; the same noise serves both, so
// their difference has none.
TEST(Audit, catches_the_same_noise_used_twice) {
  const double sigma = std::sqrt(2.0) / kExactM;
  const auto difference_of = [sigma](bool fresh) {
    return [sigma, fresh](Random& r, double x) {
      const double first = normal(r, sigma), second = fresh ? normal(r, sigma) : first;
      return (x + first) - (-x + second);
    };
  };
  EXPECT_LT(audited(difference_of(true)), kEps);
  EXPECT_GT(audited(difference_of(false)), 2 * kEps);
}

TEST(Audit, equal_inputs_show_nothing) {
  const auto blind = [](Random& r, double) { return normal(r, 1); };
  EXPECT_LT(audited(blind), 0.05);
}

TEST(Audit, of_several_statistics_the_telling_one_is_judged_as_if_alone) {
  const auto blind = trials(2000, 1, [](Random& r) { return normal(r, 1); });
  const auto zero = trials(2000, 2, [](Random& r) { return normal(r, 1); });
  const auto one = trials(2000, 3, [](Random& r) { return 3 + normal(r, 1); });
  const EpsBound both = eps_lower_bound({Trials{blind, blind}, Trials{zero, one}}, kDelta);
  EXPECT_EQ(both.statistic, 1u);
  EXPECT_EQ(both.eps, eps_lower_bound(zero, one, kDelta).eps);
  EXPECT_GT(both.eps, 2);
}

TEST(Audit, finds_a_statistic_that_speaks_the_other_way_only_for_zero) {
  // Under zero the value is large now and then; "large" speaks for zero, "small" for nobody.
  const auto zero = trials(kTrials, 1, [](Random& r) { return r() % 10 == 0 ? -5.0 : 0.0; });
  const auto one = trials(kTrials, 2, [](Random& r) { return r() % 1000 == 0 ? -5.0 : 0.0; });
  const double eps = eps_lower_bound(zero, one, 0).eps;
  EXPECT_LT(eps, std::log(100.0));
  EXPECT_GT(eps, std::log(100.0) - 0.6);
}

}  // namespace
}  // namespace maskbench
