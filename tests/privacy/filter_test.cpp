// A budget that is handed to the levels of a training as they come: what was sent costs it in the
// end, whatever the trees looked like, and never more.
#include "harness/privacy/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/privacy/steps.hpp"

namespace maskbench::privacy {
namespace {

constexpr int kRounds = 12, kDepth = 3, kCandidates = 40;
constexpr double kEps = 2, kFilterDelta = 1e-3;

FilterPlan plan_of(bool of_ap, Composition composition) {
  FilterPlan plan;
  plan.reading = {Scope::training, Unit::record, composition, MuKind::range, Theorem3Kind::tight};
  plan.eps = kEps;
  plan.delta = kFilterDelta;
  plan.rounds = kRounds;
  plan.depth = kDepth;
  plan.candidates = kCandidates;
  if (of_ap) {
    plan.most[Mechanism::gaussian(1, 1)] = kCandidates;
    plan.most[Mechanism::gaussian(0.125, 0.125)] = kCandidates;
  } else {
    plan.most[Mechanism::theorem3(0, 1, 2)] = kCandidates;
  }
  return plan;
}

double cost_of(const Ledger& sent, const FilterPlan& plan) {
  return composed_cost(counted_steps(sent, sent.places(), Scope::training, Unit::record),
                       plan.reading, plan.delta);
}

// Nodes of a level, each with some of the candidates. The further down the fewer; every fourth tree
// ends early unless it is the last.
class Trees {
 public:
  explicit Trees(bool of_ap) : of_ap_(of_ap) {}

  std::vector<NodeContent> level(int tree, int depth) {
    if (tree % 4 == 1 && depth > 0 && tree + 1 < kRounds) return {};
    std::vector<NodeContent> nodes(size_t{1} << depth);
    for (NodeContent& node : nodes) {
      const int candidates = std::uniform_int_distribution(1, kCandidates >> depth)(engine_);
      for (int k = 0; k < candidates; ++k) add_candidate(node);
    }
    return nodes;
  }

 private:
  void add_candidate(NodeContent& node) {
    if (of_ap_) {
      ++node[Mechanism::gaussian(1, 1)];
      ++node[Mechanism::gaussian(0.125, 0.125)];
    } else {
      ++node[Mechanism::theorem3(0, 1, std::uniform_int_distribution(1, 60)(engine_))];
    }
  }

  bool of_ap_;
  std::mt19937_64 engine_{7};
};

void charge(Ledger& sent, const Where& where, const NodeContent& node, double scale) {
  for (const auto& [unscaled, count] : node) {
    Mechanism mechanism = unscaled;
    if (mechanism.kind == Mechanism::Kind::theorem3) {
      mechanism.R = scale;
    } else {
      mechanism.m_record *= scale;
      mechanism.m_vector *= scale;
    }
    sent.charge({mechanism, where, static_cast<int64_t>(count)});
  }
}

struct Case {
  bool of_ap;
  Composition composition;
};
class FilterOf : public testing::TestWithParam<Case> {};

TEST_P(FilterOf, a_training_is_spent_and_never_exceeded) {
  const auto& [of_ap, composition] = GetParam();
  const FilterPlan plan = plan_of(of_ap, composition);
  Trees trees(of_ap);
  Ledger sent(Unit::record);
  double first = 0, scale = 0;
  for (int tree = 0; tree < kRounds; ++tree) {
    for (int depth = 0; depth < kDepth; ++depth) {
      const std::vector<NodeContent> nodes = trees.level(tree, depth);
      if (nodes.empty()) continue;
      scale = filtered_scale(plan, sent, tree, depth, nodes);
      ASSERT_GT(scale, 0);
      if (first == 0) first = scale;
      for (size_t node = 0; node < nodes.size(); ++node)
        charge(sent, {tree, depth, static_cast<int>(node)}, nodes[node], scale);
    }
    EXPECT_LE(cost_of(sent, plan), kEps * (1 + 1e-6)) << tree;
  }
  EXPECT_GT(cost_of(sent, plan), 0.98 * kEps);
  EXPECT_GE(scale, first);  // what the early trees did not use goes to the later ones
}

INSTANTIATE_TEST_SUITE_P(
    EveryComposition, FilterOf,
    testing::Values(Case{true, Composition::basic}, Case{true, Composition::advanced},
                    Case{true, Composition::gdp}, Case{true, Composition::pld},
                    Case{false, Composition::basic}, Case{false, Composition::advanced},
                    Case{false, Composition::gdp}, Case{false, Composition::pld}),
    [](const auto& entry) {
      return std::string(entry.param.of_ap ? "ap_" : "pp_") +
             std::string(name_of(entry.param.composition));
    });

// What holds of AP's sum by theorem: the messages are one Gaussian of the whole budget at most.
TEST(Filter, of_gaussians_keeps_the_sum_of_squares) {
  const FilterPlan plan = plan_of(true, Composition::gdp);
  const NodeContent node = plan.most;
  Ledger sent(Unit::record);
  double squares = 0;
  for (int tree = 0; tree < kRounds; ++tree) {
    const double m = filtered_scale(plan, sent, tree, 0, std::span(&node, 1));
    charge(sent, {tree, 0, 0}, node, m);
    squares += m * m * kCandidates * (1 + 0.125 * 0.125);
  }
  const Mechanism all = Mechanism::gaussian(std::sqrt(squares), 1);
  EXPECT_LE(message_epsilon(all, plan.reading, kFilterDelta), kEps * (1 + 1e-6));
  // The trees had one level; those foreseen below the last root were never sent.
  EXPECT_GT(message_epsilon(all, plan.reading, kFilterDelta), 0.75 * kEps);
}

TEST(Filter, plans_anew_ever_more_often) {
  int plans = 0;
  for (int tree = 0; tree < 60; ++tree) plans += is_planned_anew(tree, 0, 60);
  EXPECT_TRUE(is_planned_anew(0, 0, 60));
  EXPECT_TRUE(is_planned_anew(59, 0, 60));
  EXPECT_TRUE(is_planned_anew(59, 5, 60));
  EXPECT_FALSE(is_planned_anew(0, 5, 60));
  EXPECT_FALSE(is_planned_anew(1, 0, 60));
  EXPECT_LE(plans, 16);
}

}  // namespace
}  // namespace maskbench::privacy
