#include "harness/judge/audit_run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/metric_name.hpp"

namespace maskbench {
namespace {

std::map<std::string, double> audit(RunSpec spec, int threads = 1) {
  spec.attack.name = "audit";
  spec.train.rounds = 1;
  spec.privacy.delta_pp = 0.001;
  spec.privacy.composition = privacy::Composition::pld;
  spec.privacy.mu = privacy::MuKind::label;
  ThreadPool pool(threads);
  std::map<std::string, double> out;
  for (const Metric& metric : audit_metrics(spec, pool, 1)) out[full_name(metric)] = metric.value;
  return out;
}

RunSpec spec_of(const std::string& method, int64_t trials) {
  RunSpec spec;
  spec.method = method;
  spec.attack.trials = trials;
  spec.privacy.eps_ap = 4;
  spec.privacy.eps_pp = 4;
  return spec;
}

// One <g> by itself keeps its claim, residues included; PP, who drew B, reads everything.
TEST(AuditRun, masked_keeps_its_claim_for_an_outsider_and_breaks_it_for_PP) {
  const auto found = audit(spec_of("masked", 8000));
  EXPECT_NEAR(found.at("audit_claim AP stated"), 4, 1e-3);
  EXPECT_GT(found.at("audit_eps AP stated"), 2);
  EXPECT_LT(found.at("audit_eps AP stated"), 4);
  EXPECT_GT(found.at("audit_eps PP stated"), 1);
  EXPECT_LT(found.at("audit_eps PP stated"), 4);
  EXPECT_GT(found.at("audit_eps AP receiver"), 5);
  EXPECT_GT(found.at("audit_eps AP pair"), 5);
  EXPECT_GT(found.at("audit_eps PP wire"), 5);
  EXPECT_TRUE(std::isinf(found.at("audit_claim AP receiver")));
}

TEST(AuditRun, the_responses_and_the_ldp_noise_keep_their_claims) {
  for (const char* method : {"label-rr", "federboost", "xgb-ldp"}) {
    const auto found = audit(spec_of(method, 8000));
    const std::string party = std::string(method) == "federboost" ? "PP" : "AP";
    EXPECT_GT(found.at("audit_eps " + party + " stated"), 1.0) << method;
    EXPECT_LT(found.at("audit_eps " + party + " stated"), 4.0) << method;
  }
}

// Noise scaled by 0.1 instead of the 0.8 of tab-audit, which needs 200000 trials to be caught.
TEST(AuditRun, catches_an_AP_that_adds_less_noise_than_agreed) {
  RunSpec spec = spec_of("masked", 4000);
  spec.privacy.eps_ap = 1;
  spec.deviation.ap_c = 0.01;
  EXPECT_GT(audit(spec).at("audit_eps AP stated"), 4);
}

TEST(AuditRun, is_the_same_for_any_number_of_threads) {
  EXPECT_EQ(audit(spec_of("masked", 2000), 1), audit(spec_of("masked", 2000), 3));
}

TEST(AuditRun, says_where_there_is_nothing_to_try) {
  ThreadPool pool(1);
  const auto rows = audit_metrics(spec_of("paillier", 1000), pool, 1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status, "skip");
}

}  // namespace
}  // namespace maskbench
