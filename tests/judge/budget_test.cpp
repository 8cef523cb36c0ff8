// What a run says it cost AP, beside the budget that it was given: h is counted where it is sent.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/judge/execute.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench {
namespace {

RunSpec training_budget(const std::string& method, privacy::MuKind mu) {
  RunSpec spec;
  spec.method = method;
  spec.data.source = Source::synthetic;
  spec.data.rows = 500;
  spec.train.rounds = 6;
  spec.train.max_depth = 2;
  spec.train.max_bins = 8;
  spec.privacy.reading = "custom";
  spec.privacy.scope = privacy::Scope::training;
  spec.privacy.composition = privacy::Composition::gdp;
  spec.privacy.theorem3 = privacy::Theorem3Kind::tight;
  spec.privacy.mu = mu;
  spec.privacy.ratio = 1;  // PP's budget aside
  return spec;
}

double claimed(const RunSpec& spec) {
  for (const Metric& metric : execute(spec, {}).metrics) {
    if (metric.name == "eps_claimed_ap") return metric.value;
  }
  return std::nan("");
}

// Each vector that is charged has the same share of the budget; an h that moves less than g (mu:
// range, 1/4 beside 2) then costs less than its share.
double foreseen(privacy::MuKind mu, int vectors) {
  const double whole = privacy::gaussian_m(1, 1e-3);
  const double h = vectors == 2 ? privacy::mu_of_hessian(mu) / privacy::mu_of_gradient(mu) : 0;
  const int counted = h > 0 ? 2 : 1;
  return privacy::gaussian_epsilon(whole * std::sqrt((1 + h * h) / counted), 1e-3);
}

class Budget : public testing::TestWithParam<privacy::MuKind> {};

TEST_P(Budget, of_a_training_is_what_xgb_ldp_claims_and_no_more) {
  for (int rounds : {1, 6}) {
    for (Refresh refresh : {Refresh::tree, Refresh::node}) {
      RunSpec spec = training_budget("xgb-ldp", GetParam());
      spec.train.rounds = rounds;
      spec.ldp.refresh = refresh;
      const double eps = claimed(spec);
      EXPECT_LE(eps, 1 + 1e-9);
      EXPECT_NEAR(eps, foreseen(GetParam(), 2), 0.01);
    }
  }
}

TEST_P(Budget, of_a_training_is_what_fedxgb_ldp_claims) {
  const double eps = claimed(training_budget("fedxgb-ldp", GetParam()));
  EXPECT_LE(eps, 1 + 1e-9);
  EXPECT_NEAR(eps, 1, 0.01);
}

// Of masked's candidates some split nothing further down, and are not sent.
TEST_P(Budget, of_a_training_is_not_exceeded_by_masked) {
  for (Mode mode : {Mode::collapsed, Mode::materialised}) {
    RunSpec spec = training_budget("masked", GetParam());
    spec.mode = mode;
    const double eps = claimed(spec);
    EXPECT_LE(eps, 1 + 1e-9);
    EXPECT_GT(eps, 0.5 * foreseen(GetParam(), 2));
    spec.train.max_depth = 1;  // all are sent at the root
    EXPECT_NEAR(claimed(spec), foreseen(GetParam(), 2), 0.01);
    spec.train.gbdt = true;
    EXPECT_NEAR(claimed(spec), 1, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Mu, Budget,
                         testing::Values(privacy::MuKind::paper, privacy::MuKind::label,
                                         privacy::MuKind::range),
                         [](const auto& entry) { return std::string(name_of(entry.param)); });

}  // namespace
}  // namespace maskbench
