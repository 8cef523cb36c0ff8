#include "harness/sweep/cost.hpp"

#include <gtest/gtest.h>

namespace maskbench {
namespace {

RunSpec adult(const std::string& method) {
  RunSpec spec;
  spec.method = method;
  spec.mode = Mode::materialised;
  return spec;
}

TEST(Cost, grows_with_rows_and_rounds_for_every_kind_of_method) {
  for (const char* method : {"nonprivate", "masked", "paillier", "smm"}) {
    RunSpec spec = adult(method);
    spec.data.rows = 1000;
    double before = 0;
    for (int64_t rows : {1000, 2000, 20'000, 500'000}) {
      spec.data.rows = rows;
      const double seconds = estimated_seconds(spec);
      EXPECT_GT(seconds, before) << method << ' ' << rows;
      before = seconds;
    }
    // Rows of their own count, not the data set's; without them, the data set's.
    spec.data.rows = 0;
    EXPECT_GT(estimated_seconds(spec), 0);
    EXPECT_LT(estimated_seconds(spec), before) << method;  // adult has 48842
    before = 0;
    for (int rounds : {1, 2, 60, 500}) {
      spec.train.rounds = rounds;
      const double seconds = estimated_seconds(spec);
      EXPECT_GT(seconds, before) << method << ' ' << rounds;
      before = seconds;
    }
  }
}

TEST(Cost, tells_methods_and_modes_apart) {
  const double clear = estimated_seconds(adult("nonprivate"));
  const double masked = estimated_seconds(adult("masked"));
  EXPECT_GT(masked, 10 * clear);
  EXPECT_GT(estimated_seconds(adult("paillier")), masked);
  RunSpec spec = adult("masked");
  spec.mode = Mode::fused;
  const double fused = estimated_seconds(spec);
  EXPECT_LT(fused, masked);
  spec.mode = Mode::collapsed;
  EXPECT_LT(estimated_seconds(spec), fused);
  EXPECT_GT(estimated_seconds(spec), 2 * clear);
  spec = adult("masked");
  spec.privacy.W = 3;
  EXPECT_GT(estimated_seconds(spec), 2 * masked);
}

TEST(Cost, counts_the_trees_that_paillier_grows_and_the_attack_on_masked) {
  RunSpec spec = adult("paillier");
  const double all = estimated_seconds(spec);
  spec.paillier.max_trees = 3;  // of 60
  EXPECT_NEAR(estimated_seconds(spec) / all, 3.0 / 60, 0.01);
  spec = adult("masked");
  const double none = estimated_seconds(spec);
  spec.attack.name = "attribute-likelihood";
  EXPECT_GT(estimated_seconds(spec), none);
  spec.method = "nonprivate";  // nothing to read there
  EXPECT_EQ(estimated_seconds(spec), estimated_seconds(adult("nonprivate")));
}

// A file may have other rows and columns than the shape of its name.
TEST(Cost, follows_the_data_that_was_seen) {
  RunSpec spec = adult("masked");
  spec.data.dataset = "higgs";  // the shape: 200000 rows, 28 features
  const double named = estimated_seconds(spec);
  EXPECT_NEAR(estimated_seconds(spec, {200'000, 28, 14 * 31}) / named, 1, 1e-9);
  EXPECT_NEAR(estimated_seconds(spec, {54'424, 28, 14 * 31}) / named, 54'424 / 200'000.0, 0.03);
  EXPECT_NEAR(estimated_seconds(spec, {200'000, 28, 7 * 31}) / named, 0.5, 0.05);
  spec.method = "nonprivate";
  EXPECT_GT(estimated_seconds(spec, {200'000, 118, 0}), 3 * estimated_seconds(spec));
}

TEST(Cost, of_an_audit_is_its_trials_whatever_the_method) {
  for (const char* attack : {"audit", "transcript"}) {
    RunSpec spec = adult("xgb-ldp");
    spec.data.rows = 1000;
    const double none = estimated_seconds(spec);
    spec.attack = {.name = attack, .trials = 200'000};
    EXPECT_GT(estimated_seconds(spec), none + 10) << attack;
  }
}

PlanEntry entry(const std::string& kind, double cost) {
  return {"config", "run", 0, "group", kind, cost};
}

TEST(CostLog, knows_the_estimate_then_the_mean_of_all_then_that_of_the_kind) {
  CostLog log;
  EXPECT_EQ(log.predict(entry("masked", 10)), 10);
  log.learn(entry("masked", 10), 40);
  EXPECT_DOUBLE_EQ(log.predict(entry("masked", 5)), 20);
  EXPECT_DOUBLE_EQ(log.predict(entry("paillier", 5)), 20);  // for want of better
  log.learn(entry("paillier", 30), 40);
  EXPECT_DOUBLE_EQ(log.predict(entry("paillier", 15)), 20);
  EXPECT_DOUBLE_EQ(log.predict(entry("masked", 5)), 20);  // its own stays
  EXPECT_DOUBLE_EQ(log.predict(entry("smm", 5)), 10);     // 80 s for 40
  log.learn(entry("masked", 30), 40);
  EXPECT_DOUBLE_EQ(log.predict(entry("masked", 5)), 10);  // 80 s for 40
}

TEST(CostLog, a_run_of_no_cost_teaches_nothing_of_others) {
  CostLog log;
  log.learn(entry("masked", 0), 3);
  EXPECT_EQ(log.predict(entry("masked", 7)), 7);
}

}  // namespace
}  // namespace maskbench
