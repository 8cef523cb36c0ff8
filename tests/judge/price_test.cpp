// Conformance of every method's accounting: what was sent is what was priced.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/judge/catalog.hpp"
#include "harness/judge/execute.hpp"
#include "harness/privacy/run_budget.hpp"
#include "tests/support/metric_name.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

struct Case {
  std::string method;
  Mode mode;
};

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const Method& method : methods()) {
    out.push_back({method.id, Mode::materialised});
    if (!method_uses(method.id, "mode")) continue;
    out.push_back({method.id, Mode::fused});
    out.push_back({method.id, Mode::collapsed});
  }
  return out;
}

RunSpec spec_of(const Case& c) {
  RunSpec spec;
  spec.method = c.method;
  spec.mode = c.mode;
  spec.train.rounds = 2;
  spec.train.max_depth = 3;
  spec.paillier.key_bits = 1024;
  return spec;
}

class Priced : public testing::TestWithParam<Case> {};

TEST_P(Priced, bytes_on_the_tape_are_the_bytes_priced) {
  const RunSpec spec = spec_of(GetParam());
  const toy::Parties p = toy::parties(400, 6, 1, 8);
  Records records;
  const TrainResult result = toy::train(find_method(spec.method), spec, p, 1, records);
  for (Party party : {Party::ap, Party::pp}) {
    const PricedBytes& priced = result.priced[static_cast<size_t>(party)];
    for (size_t k = 0; k < kKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      EXPECT_EQ(records.tape.bytes(party, kind), priced.personal[k] + priced.free[k])
          << name_of(party) << ' ' << name_of(kind);
    }
  }
}

TEST_P(Priced, a_party_that_sends_of_its_data_never_has_eps_0_and_one_that_does_not_has) {
  for (bool zero_noise : {false, true}) {
    RunSpec spec = spec_of(GetParam());
    spec.privacy.zero_noise = zero_noise;
    const toy::Parties p = toy::parties(400, 6, 1, 8);
    TrainResult result = toy::train(find_method(spec.method), spec, p, 1);
    const privacy::PrivacyAccountant accountant(
        spec.privacy.as_read(), budget_of(spec.privacy, 400), result.ledgers[0], result.ledgers[1]);
    for (Party party : {Party::ap, Party::pp}) {
      uint64_t personal = 0;
      for (uint64_t bytes : result.priced[static_cast<size_t>(party)].personal) personal += bytes;
      const privacy::PrivacyReport report = accountant.report();
      for (const auto* costs : {&report.run, &report.elsewhere}) {
        for (const privacy::Cost& cost : *costs) {
          if (cost.party != party) continue;
          EXPECT_EQ(cost.eps > 0, personal > 0) << name_of(party) << ' ' << name_of(cost.view);
          EXPECT_EQ(std::isinf(cost.eps) && cost.reason.empty(), false) << "infinite, no reason";
          if (zero_noise && personal > 0) {
            EXPECT_TRUE(std::isinf(cost.eps)) << name_of(party);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Priced, testing::ValuesIn(all_cases()),
                         [](const auto& entry) {
                           std::string name =
                               entry.param.method + "_" + std::string(name_of(entry.param.mode));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// What the findings named: eps 0 stood where megabytes were sent.
TEST(Reasons, say_what_was_sent) {
  const auto reason = [](const std::string& method, const std::string& metric) {
    RunSpec spec = spec_of({method, Mode::collapsed});
    spec.data.source = Source::synthetic;
    spec.data.rows = 400;
    for (const Metric& m : execute(spec, {}).metrics) {
      if (full_name(m) == metric) return (std::isinf(m.value) ? "inf: " : "finite: ") + m.reason;
    }
    return std::string("no ") + metric;
  };
  const auto expect_says = [](const std::string& text, const std::string& words) {
    EXPECT_TRUE(text.starts_with("inf: ")) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect_says(reason("smm", "eps AP stated"), "orthogonal to g and h");
  expect_says(reason("smm", "eps PP stated"), "hides PP's splitting vectors in a subspace only");
  expect_says(reason("random-split", "eps PP stated"), "random cut");
  expect_says(reason("random-split", "eps AP stated"), "clean gradients");
  expect_says(reason("nonprivate", "eps PP stated"), "row sets of PP's winning splits");
  expect_says(reason("xgb-ldp", "eps PP stated"), "scores of PP's best splits");
  expect_says(reason("xgb-ldp", "eps AP wire"), "chosen on clean gradients");
  expect_says(reason("label-rr", "eps PP stated"), "row sets of PP's winning splits");
  expect_says(reason("paillier", "eps AP stated"), "rests on encryption");
  EXPECT_NE(reason("federboost", "eps PP stated").find("finite: covers PP's features given public"),
            std::string::npos);
  expect_says(reason("federboost", "eps PP wire"), "how many buckets");
}

TEST(Reasons, seven_responses_on_one_record_cost_the_budget) {
  RunSpec spec = spec_of({"federboost", Mode::collapsed});
  spec.data.source = Source::synthetic;  // adult: 7 features are PP's
  spec.data.rows = 400;
  std::map<std::string, double> values;
  for (const Metric& m : execute(spec, {}).metrics) values[full_name(m)] = m.value;
  EXPECT_NEAR(values.at("eps PP stated"), 1, 1e-9);
  spec.federboost.per_feature = true;
  for (const Metric& m : execute(spec, {}).metrics) values[full_name(m)] = m.value;
  EXPECT_NEAR(values.at("eps PP stated"), 7, 1e-9);
}

}  // namespace
}  // namespace maskbench
