#include "harness/privacy/composition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/privacy/gaussian.hpp"
#include "tests/privacy/reference.hpp"

namespace maskbench::privacy {
namespace {

TEST(Gaussian, s_bound_and_tight_m) {
  for (const auto& e : reference()["s_bound"]) {
    const double eps = e["eps"], delta = e["delta"];
    expect_close(s_bound(eps, delta), e["s"], e);
    expect_close(std::sqrt(s_bound(eps, delta)), e["mu_paper"], e);
    expect_close(gaussian_m(eps, delta), e["mu_tight"], e);
    expect_close(gaussian_delta(eps, e["mu_paper"]), e["delta_of_paper_mu"], e);
  }
}

// The reference's delta underflows below 1e-300.
TEST(Gaussian, analytic_delta) {
  for (const auto& e : reference()["gauss_delta"]) {
    expect_close(gaussian_delta(e["eps"], e["mu"]), e["delta"], e, 1e-6, 1e-300);
  }
}

TEST(Gaussian, inverses) {
  for (const double eps : {0.01, 0.5, 3.0, 20.0}) {
    for (const double delta : {1e-3, 1e-8}) {
      EXPECT_NEAR(gaussian_epsilon(gaussian_m(eps, delta), delta) / eps, 1, 1e-9);
      EXPECT_NEAR(s_bound_epsilon(s_bound(eps, delta), delta) / eps, 1, 1e-12);
    }
  }
  EXPECT_EQ(gaussian_epsilon(1e-5, 1e-3), 0);
}

TEST(Gaussian, printed_bound_is_valid_and_never_better_than_the_tight_one) {
  for (const double eps : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    for (const double delta : {1e-2, 1e-5, 1e-10}) {
      EXPECT_LT(std::sqrt(s_bound(eps, delta)), gaussian_m(eps, delta));
    }
  }
  EXPECT_LT(classical_gaussian_m(0.5, 1e-5), gaussian_m(0.5, 1e-5));
  EXPECT_GT(classical_gaussian_m(20, 1e-2), gaussian_m(20, 1e-2));  // not valid for large eps
}

TEST(Composition, advanced) {
  for (const auto& e : reference()["adv_comp"]) {
    expect_close(advanced_composition(e["eps0"], e["K"], e["delta_prime"]), e["eps"], e);
  }
}

TEST(Composition, per_step_budget) {
  for (const auto& e : reference()["per_step"]) {
    const StepBudget step = advanced_step(e["eps"], e["delta"], e["K"]);
    expect_close(step.eps, e["eps0"], e);
    expect_close(step.delta, e["delta0"], e);
  }
}

TEST(Composition, unequal_steps_reduce_to_equal_ones) {
  const CountedEpsilon split[] = {{0.1, 20}, {0.1, 40}}, mixed[] = {{0.1, 59}, {0.2, 1}};
  EXPECT_DOUBLE_EQ(advanced_composition(split, 1e-3), advanced_composition(0.1, 60, 1e-3));
  EXPECT_GT(advanced_composition(mixed, 1e-3), advanced_composition(0.1, 60, 1e-3));
}

TEST(Composition, basic_and_gdp_steps_recompose_to_the_total) {
  EXPECT_DOUBLE_EQ(basic_composition(basic_step(3, 1e-3, 60).eps, 60), 3);
  const double m = gdp_composition(gdp_step(3, 1e-3, 60), 60);
  EXPECT_NEAR(gaussian_delta(3, m), 1e-3, 1e-12);
}

// For many steps: Gaussian composition leaves a step more room than advanced, advanced more than
// basic.
TEST(Composition, order_of_the_bounds) {
  for (const int64_t K : {60, 360, 78120}) {
    const StepBudget basic = basic_step(1, 1e-3, K), advanced = advanced_step(1, 1e-3, K);
    const double of_basic = std::sqrt(s_bound(basic.eps, basic.delta));
    const double of_advanced = std::sqrt(s_bound(advanced.eps, advanced.delta));
    EXPECT_LT(of_basic, of_advanced);
    EXPECT_LT(of_advanced, gdp_step(1, 1e-3, K));
  }
}

}  // namespace
}  // namespace maskbench::privacy
