// What a run says it cost AP, beside the budget that it was given: h is counted where it is sent.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/config/reading.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/execute.hpp"
#include "harness/privacy/readings.hpp"
#include "tests/support/metric_name.hpp"

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
    if (full_name(metric) == "eps AP stated") return metric.value;
  }
  return std::nan("");
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
      EXPECT_NEAR(eps, 1, 0.01);
    }
  }
}

TEST_P(Budget, of_a_training_is_what_fedxgb_ldp_claims) {
  const double eps = claimed(training_budget("fedxgb-ldp", GetParam()));
  EXPECT_LE(eps, 1 + 1e-9);
  EXPECT_NEAR(eps, 1, 0.01);
}

TEST_P(Budget, of_a_training_is_what_masked_claims_and_no_more) {
  for (Mode mode : {Mode::collapsed, Mode::materialised}) {
    for (int depth : {1, 2}) {
      for (bool gbdt : {false, true}) {
        RunSpec spec = training_budget("masked", GetParam());
        spec.mode = mode;
        spec.train.max_depth = depth;
        spec.train.gbdt = gbdt;
        const double eps = claimed(spec);
        EXPECT_LE(eps, 1 + 1e-9);
        EXPECT_NEAR(eps, 1, 0.01);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mu, Budget,
                         testing::Values(privacy::MuKind::paper, privacy::MuKind::label,
                                         privacy::MuKind::range),
                         [](const auto& entry) { return std::string(name_of(entry.param)); });

// Under a reading that calls itself equal or sound the messages really sent cost the budget: never
// more, and 2 % less at most.
struct Spending {
  std::string reading, method;
};
class Spent : public testing::TestWithParam<Spending> {};

TEST_P(Spent, is_the_budget_of_the_whole_training) {
  const auto& [reading, method] = GetParam();
  for (const double eps : {0.5, 2.0, 8.0}) {
    for (const bool wide : {false, true}) {
      RunSpec spec;
      spec.method = method;
      spec.data.source = Source::synthetic;
      spec.data.dataset = wide ? "credit2" : "adult";
      spec.data.rows = wide ? 900 : 500;
      spec.train.rounds = wide ? 3 : 5;
      spec.train.max_depth = wide ? 3 : 2;
      spec.train.max_bins = wide ? 8 : 16;
      spec.privacy.eps_ap = eps;
      spec.privacy.eps_pp = 1.5 * eps;
      spec.privacy.reading = reading;
      resolve_reading(spec, {});
      for (const Metric& metric : execute(spec, {}).metrics) {
        const bool of_ap = full_name(metric) == "eps AP stated";
        if (!of_ap && full_name(metric) != "eps PP stated") continue;
        if (std::isinf(metric.value) || metric.value == 0) continue;  // no claim, or nothing sent
        const double budget = of_ap ? eps : 1.5 * eps;
        EXPECT_LE(metric.value, budget * (1 + 1e-6)) << metric.name << ' ' << wide;
        EXPECT_GT(metric.value, budget * 0.98) << metric.name << ' ' << wide;
      }
    }
  }
}

std::vector<Spending> all_spendings() {
  std::vector<Spending> out;
  for (const char* reading : {"equal", "sound"}) {
    for (const Method& method : methods())
      if (method.id != "paillier") out.push_back({reading, method.id});  // no claim, slow keys
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(EveryMethod, Spent, testing::ValuesIn(all_spendings()),
                         [](const auto& entry) {
                           std::string name = entry.param.reading + "_" + entry.param.method;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Whatever masked's messages are made of.
TEST(SpentByMasked, does_not_depend_on_mode_columns_or_orientation) {
  const auto claims = [](Mode mode, int W, bool gbdt, Orient orient) {
    RunSpec spec;
    spec.method = "masked";
    spec.data.source = Source::synthetic;
    spec.data.rows = 500;
    spec.train.rounds = 4;
    spec.train.max_depth = 3;
    spec.train.max_bins = 8;
    spec.train.gbdt = gbdt;
    spec.mode = mode;
    spec.masked.orient = orient;
    spec.privacy.W = W;
    spec.privacy.eps_ap = spec.privacy.eps_pp = 4;
    spec.privacy.reading = "sound";
    resolve_reading(spec, {});
    std::vector<double> out;
    for (const Metric& metric : execute(spec, {}).metrics)
      if (metric.name == "eps" && metric.of.view == "stated") out.push_back(metric.value);
    return out;
  };
  for (const auto& found : {claims(Mode::materialised, 2, false, Orient::left),
                            claims(Mode::fused, 3, false, Orient::smaller),
                            claims(Mode::collapsed, 1, true, Orient::smaller)}) {
    ASSERT_EQ(found.size(), 2u);
    for (const double eps : found) {
      EXPECT_LE(eps, 4 * (1 + 1e-6));
      EXPECT_GT(eps, 4 * 0.98);
    }
  }
}

// masked's own treatment for all: each message has all of it, leaves are clean.
TEST(MessageReading, gives_every_method_what_paper_gives_masked) {
  for (const char* method : {"masked", "xgb-ldp", "fedxgb-ldp"}) {
    RunSpec spec;
    spec.method = method;
    spec.privacy.reading = "message";
    resolve_reading(spec, {});
    EXPECT_EQ(spec.privacy.scope, privacy::Scope::message) << method;
    EXPECT_EQ(spec.ldp.leaves, LdpLeaves::clean) << method;
    RunSpec paper;
    paper.method = "masked";
    resolve_reading(paper, {});
    EXPECT_EQ(spec.privacy.as_read(), paper.privacy.as_read()) << method;
  }
}

}  // namespace
}  // namespace maskbench
