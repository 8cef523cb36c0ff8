#include "harness/privacy/accountant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/privacy/calibration.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

const Budget kBudget{1, 1e-3, 1, 3e-5};

Reading reading(Scope scope, Composition composition, Unit unit = Unit::record) {
  return {scope, unit, composition, MuKind::paper, Theorem3Kind::tight};
}

double eps_ap(const PrivacyAccountant& accountant, Scope scope, Composition composition) {
  return accountant.cost(Party::ap, View::stated, reading(scope, composition)).eps;
}

// Two trees of two levels; level 1 has two nodes. Three messages a node.
PrivacyAccountant small_training(double m) {
  PrivacyAccountant accountant(reading(Scope::message, Composition::gdp), kBudget);
  for (int tree = 0; tree < 2; ++tree) {
    for (const Where where : {Where{tree, 0, 0}, Where{tree, 1, 1}, Where{tree, 1, 2}}) {
      accountant.ledger(Party::ap).charge({Mechanism::gaussian(m, 10 * m), where, 3});
    }
  }
  return accountant;
}

TEST(Accountant, scopes_count_what_they_say) {
  const double m = 0.2;
  const PrivacyAccountant accountant = small_training(m);
  EXPECT_EQ(accountant.ledger(Party::ap).messages(), 18);
  const auto exact = [&](double K) { return gaussian_epsilon(m * std::sqrt(K), 1e-3); };
  EXPECT_NEAR(eps_ap(accountant, Scope::message, Composition::gdp), exact(1), 1e-8);
  EXPECT_NEAR(eps_ap(accountant, Scope::tree, Composition::gdp), exact(2), 1e-8);
  EXPECT_NEAR(eps_ap(accountant, Scope::level, Composition::gdp), exact(4), 1e-8);
  // A record lies in one node of level 1, so it meets 2 x 2 x 3 of the 18 messages.
  EXPECT_NEAR(eps_ap(accountant, Scope::training, Composition::gdp), exact(12), 1e-8);
  EXPECT_NEAR(eps_ap(accountant, Scope::training, Composition::pld), exact(12), 1e-8);
}

TEST(Accountant, compositions_are_ordered) {
  const PrivacyAccountant accountant = small_training(0.05);
  const double basic = eps_ap(accountant, Scope::training, Composition::basic);
  const double advanced = eps_ap(accountant, Scope::training, Composition::advanced);
  const double gdp = eps_ap(accountant, Scope::training, Composition::gdp);
  EXPECT_LE(advanced, basic);
  EXPECT_LT(gdp, advanced);
}

TEST(Accountant, units_are_kept_apart) {
  const PrivacyAccountant accountant = small_training(0.2);
  const double vector =
      accountant
          .cost(Party::ap, View::stated, reading(Scope::message, Composition::gdp, Unit::vector))
          .eps;
  const double exact = gaussian_epsilon(2, 1e-3);
  EXPECT_GE(vector, exact);  // the other unit is rounded up, by at most 9.1 per cent of m
  EXPECT_LE(vector, gaussian_epsilon(2 * 1.0906, 1e-3));
}

TEST(Accountant, costliest_node_counts) {
  PrivacyAccountant accountant(reading(Scope::training, Composition::gdp), kBudget);
  accountant.ledger(Party::ap).charge({Mechanism::gaussian(0.1, 1), {0, 3, 1}, 7});
  accountant.ledger(Party::ap).charge({Mechanism::gaussian(0.3, 1), {0, 3, 2}, 7});
  EXPECT_NEAR(eps_ap(accountant, Scope::training, Composition::gdp),
              gaussian_epsilon(0.3 * std::sqrt(7), 1e-3), 1e-8);
}

TEST(Accountant, theorem3_messages) {
  PrivacyAccountant accountant(reading(Scope::message, Composition::pld), kBudget);
  accountant.ledger(Party::pp).charge({Mechanism::theorem3(0.0324, 1, 16000), {0, 0, 0}, 60});
  const auto cost = [&](Scope scope, Composition composition) {
    return accountant.cost(Party::pp, View::stated, reading(scope, composition)).eps;
  };
  EXPECT_NEAR(cost(Scope::message, Composition::pld),
              theorem3_epsilon(Theorem3Kind::tight, 16000, 0.0324, 3e-5, 1), 1e-8);
  const double composed = cost(Scope::training, Composition::pld);
  EXPECT_NEAR(theorem3_delta_one_sided(16000, 0.0324, composed, 1, Direction::reverse, 60), 3e-5,
              1e-9);
  EXPECT_LT(composed, cost(Scope::training, Composition::gdp));  // the Renyi bound is looser
  EXPECT_LT(cost(Scope::training, Composition::gdp), cost(Scope::training, Composition::basic));
}

// A cycle of 2 is the worst; the message with one active row has a neighbour with two.
TEST(Accountant, small_active_sets_cost_more) {
  double last = 0;
  for (const int64_t n_active : {1000, 8, 4, 3, 2}) {
    PrivacyAccountant accountant(reading(Scope::message, Composition::pld), kBudget);
    accountant.ledger(Party::pp).charge({Mechanism::theorem3(1, 1, n_active), {0, 0, 0}});
    const double eps =
        accountant.cost(Party::pp, View::stated, reading(Scope::message, Composition::pld)).eps;
    EXPECT_GT(eps, last) << n_active;
    last = eps;
  }
  EXPECT_GT(theorem3_delta_tight(2, 1, 1, 1), theorem3_delta_tight(1, 1, 1, 1));
}

// The rounding of n_A is downwards: never cheaper than the truth.
TEST(Accountant, rounded_cycles_are_upper_bounds) {
  for (const int64_t n_active : {5, 7, 11, 13, 23, 100}) {
    PrivacyAccountant accountant(reading(Scope::message, Composition::pld), kBudget);
    accountant.ledger(Party::pp).charge({Mechanism::theorem3(10, 1, n_active), {0, 0, 0}});
    const double eps =
        accountant.cost(Party::pp, View::stated, reading(Scope::message, Composition::pld)).eps;
    EXPECT_GE(eps * (1 + 1e-9), theorem3_epsilon(Theorem3Kind::tight, n_active, 10, 3e-5, 1));
  }
}

TEST(Accountant, randomised_response_composes_to_its_eps) {
  PrivacyAccountant accountant(reading(Scope::training, Composition::pld), kBudget);
  accountant.ledger(Party::ap).charge({Mechanism::response(0.7), {}});
  EXPECT_DOUBLE_EQ(eps_ap(accountant, Scope::training, Composition::pld), 0.7);
  EXPECT_DOUBLE_EQ(eps_ap(accountant, Scope::tree, Composition::basic), 0.7);
  EXPECT_LE(eps_ap(accountant, Scope::training, Composition::gdp), 0.7);
  accountant.ledger(Party::pp).charge({Mechanism::response(0.1, 32), {}, 7});
  const auto cost = [&](Composition composition) {
    return accountant.cost(Party::pp, View::stated, reading(Scope::training, composition)).eps;
  };
  EXPECT_NEAR(cost(Composition::basic), 0.7, 1e-12);
  EXPECT_LT(cost(Composition::pld), 0.7);
  EXPECT_GT(cost(Composition::pld), 0.1);
}

TEST(Accountant, clear_messages_are_infinite_and_say_why) {
  PrivacyAccountant accountant(reading(Scope::message, Composition::gdp), kBudget);
  accountant.ledger(Party::ap).note({Note::Kind::exposed, View::stated, "g and h in clear"});
  const Cost cost =
      accountant.cost(Party::ap, View::stated, reading(Scope::tree, Composition::basic));
  EXPECT_TRUE(std::isinf(cost.eps));
  EXPECT_EQ(cost.reason, "g and h in clear");
  const Cost silent =
      accountant.cost(Party::pp, View::wire, reading(Scope::tree, Composition::basic));
  EXPECT_EQ(silent.eps, 0);
  EXPECT_EQ(silent.reason, "nothing is sent");
}

TEST(Accountant, encryption_is_no_differential_privacy) {
  PrivacyAccountant accountant(reading(Scope::message, Composition::pld), kBudget);
  accountant.ledger(Party::ap).charge({Mechanism::encrypted(), {0, -1, 0}, 100});
  for (const auto composition : {Composition::basic, Composition::gdp, Composition::pld}) {
    const Cost cost =
        accountant.cost(Party::ap, View::stated, reading(Scope::training, composition));
    EXPECT_TRUE(std::isinf(cost.eps));
    EXPECT_NE(cost.reason.find("encryption"), std::string::npos);
  }
}

PrivacyAccountant masked_training(int W, Theorem3Kind theorem3) {
  MaskedBudget budget;
  budget.n = 32651;
  budget.W = W;
  budget.reading = preset_reading(Preset::paper, Family::masked);
  budget.reading.theorem3 = theorem3;
  const MaskedCalibration calibration = calibrate_masked(budget);
  PrivacyAccountant accountant(budget.reading, {1, 1e-3, 1, 1 / 32651.0});
  Ledger &ap = accountant.ledger(Party::ap), &pp = accountant.ledger(Party::pp);
  VectorCharges charges;
  for (int tree = 0; tree < 60; ++tree) {
    for (int level = 0; level < 6; ++level) {
      for (int64_t cut = 1; cut <= 31; ++cut) {
        const Where where{tree, level, 0};
        add_active_charges(calibration, true, where, 1000 * cut, 32651 - 1000 * cut, 7, charges);
        pp.charge(passive_charge(calibration, where, 1000 * cut, 7));
      }
    }
  }
  for (const auto* vectors : {&charges.g, &charges.h})
    for (const Charge& charge : *vectors) ap.charge(charge);
  for (const Note& note : active_notes(calibration)) ap.note(note);
  pp.note({Note::Kind::exposed, View::receiver, kHeadersInClear});
  return accountant;
}

TEST(Accountant, masked_holds_as_claimed_for_a_message_and_not_beyond) {
  const PrivacyReport report = masked_training(1, Theorem3Kind::printed).report();
  ASSERT_EQ(report.run.size(), 8u);
  const Cost& ap = report.run[0];
  EXPECT_LE(ap.eps, 1);
  EXPECT_GT(ap.eps, 0.5);
  for (int view = 1; view < 4; ++view) {
    EXPECT_TRUE(std::isinf(report.run[size_t(view)].eps));
    EXPECT_FALSE(report.run[size_t(view)].reason.empty());
  }
  const Cost& pp = report.run[4];
  EXPECT_NEAR(pp.eps, 1, 1e-6);
  EXPECT_TRUE(std::isinf(report.run[7].eps));
  bool seen = false;
  for (const Cost& cost : report.elsewhere) {
    if (cost.party != Party::pp || cost.reading.scope != Scope::training ||
        cost.reading.composition != Composition::pld) {
      continue;
    }
    seen = true;
    EXPECT_NEAR(cost.eps, 168, 1);  // about 175 by Renyi
  }
  EXPECT_TRUE(seen);
}

TEST(Accountant, record_costs_over_several_messages_carry_their_caveat) {
  const PrivacyAccountant accountant = masked_training(1, Theorem3Kind::printed);
  const auto reason = [&](Scope scope, Unit unit) {
    return accountant.cost(Party::ap, View::stated, reading(scope, Composition::gdp, unit)).reason;
  };
  EXPECT_NE(reason(Scope::training, Unit::record).find("given the past"), std::string::npos);
  EXPECT_EQ(reason(Scope::message, Unit::record), "");
  EXPECT_EQ(reason(Scope::training, Unit::vector), "");
}

TEST(Accountant, pair_of_g_and_h_is_finite_for_larger_W_but_dearer) {
  const PrivacyAccountant accountant = masked_training(3, Theorem3Kind::tight);
  const Reading one = reading(Scope::message, Composition::advanced);
  const double stated = accountant.cost(Party::ap, View::stated, one).eps;
  const double pair = accountant.cost(Party::ap, View::pair, one).eps;
  EXPECT_GT(pair, 5 * stated);
  EXPECT_FALSE(std::isinf(pair));
}

// A neighbour that moves g and h by m each is at the squared distance 2 (1 + |r|) m^2/(1 - r^2) in
// the pair, r the correlation of their noise.
TEST(Accountant, a_pair_whose_g_and_h_both_move_costs_their_joint_distance) {
  const double m = 0.3, delta = 1e-3;
  PrivacyAccountant accountant({}, {1, delta, 1, delta});
  accountant.ledger(Party::ap).charge({Mechanism::gaussian(m, m, 4), {0, 0, 0}});
  const double inflation = pair_inflation(4, delta / 2);  // 1/(1 - r^2) but for that probability
  const double r = std::sqrt(1 - 1 / inflation);
  const double joint = m * std::sqrt(2 * (1 + r) * inflation);
  Reading both = reading(Scope::message, Composition::gdp);
  both.mu = MuKind::paper;
  EXPECT_GE(accountant.cost(Party::ap, View::pair, both).eps, gaussian_epsilon(joint, delta / 2));
  Reading label = both;
  label.mu = MuKind::label;  // h cannot move
  EXPECT_NEAR(accountant.cost(Party::ap, View::pair, label).eps,
              gaussian_epsilon(m * std::sqrt(inflation), delta / 2), 1e-6);
}

TEST(Accountant, equal_charges_are_counted_not_stored) {
  PrivacyAccountant accountant(reading(Scope::training, Composition::gdp), kBudget);
  for (int i = 0; i < 1000000; ++i) {
    accountant.ledger(Party::ap).charge(
        {Mechanism::gaussian(0.001, 0.1 + 1e-7 * i), {i % 60, 0, 0}});
  }
  EXPECT_EQ(accountant.ledger(Party::ap).messages(), 1000000);
  EXPECT_NEAR(eps_ap(accountant, Scope::training, Composition::gdp), gaussian_epsilon(1, 1e-3),
              1e-6);
}

}  // namespace
}  // namespace maskbench::privacy
