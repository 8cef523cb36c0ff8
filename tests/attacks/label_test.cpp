#include <gtest/gtest.h>

#include "harness/base/random.hpp"
#include "harness/exchange/elements.hpp"
#include "tests/attacks/scene.hpp"

namespace maskbench {
namespace {

const toy::Parties& parties() {
  static const toy::Parties p = toy::parties(3000, 6, 11, 16);
  return p;
}

struct Setting {
  double eps;
  int W;
  privacy::Unit unit;
  bool gbdt = false;
};

class Subspace : public testing::TestWithParam<Setting> {};

// Above .99 at every eps_AP, whatever the unit and W.
TEST_P(Subspace, finds_the_labels_at_every_budget) {
  RunSpec spec = scene::spec("masked", "label-subspace");
  spec.privacy.eps_ap = GetParam().eps;
  spec.privacy.W = GetParam().W;
  spec.privacy.unit = GetParam().unit;
  spec.train.gbdt = GetParam().gbdt;
  spec.privacy.ratio = GetParam().W == 1 ? 0 : 0.03;  // eps_PP = 1 admits W = 1 only
  auto m = scene::attack(spec, parties());
  EXPECT_GT(m["attack_accuracy"], 0.99);
  EXPECT_GT(m["attack_auc"], 0.999);
  EXPECT_GT(m["attack_tpr_at_1pct_fpr"], 0.99);
  EXPECT_EQ(m["attack_rows"], 3000);
}

INSTANTIATE_TEST_SUITE_P(
    Masked, Subspace,
    testing::Values(Setting{0.5, 1, privacy::Unit::record}, Setting{8, 1, privacy::Unit::record},
                    Setting{0.5, 3, privacy::Unit::record}, Setting{8, 3, privacy::Unit::record},
                    Setting{0.5, 1, privacy::Unit::vector}, Setting{0.5, 3, privacy::Unit::vector},
                    Setting{8, 3, privacy::Unit::vector},
                    Setting{0.5, 1, privacy::Unit::vector, true}));

// A message that carries nothing: <g> replaced by noise outside span(B). The attack must be blind.
TEST(LabelAttacks, are_blind_on_messages_without_gradients) {
  for (const char* name : {"label-subspace", "label-average", "label-residue"}) {
    RunSpec spec = scene::spec("masked", name);
    spec.train.rounds = 1;
    Records records, forged;
    keep_for_judge(spec, records);
    toy::train(find_method("masked"), spec, parties(), 2, records);
    forged.tape.record([](Party, Kind, const Tag&) { return true; });
    Draws draws(derive_key(5, "forged"));
    for (const Message& message : records.tape.recorded()) {
      if (message.kind != Kind::masked) {
        forged.tape.hear(message);
        continue;
      }
      std::vector<int32_t> values = message.as<int32_t>();
      for (int32_t& v : values) v = static_cast<int32_t>((draws.uniform() - 0.5) * 0x1p30);
      forged.tape.hear({message.from, message.kind, message.tag,
                        std::make_unique<HostValues<int32_t>>(std::move(values))});
    }
    ThreadPool pool(1);
    std::map<std::string, double> m;
    for (const Metric& x : attack_metrics(spec, scene::prepared(parties()), forged, pool, 7))
      m[x.name] = x.value;
    // Power: 3000 rows put the AUC of a blind guess within 5 standard errors = .053 of 1/2.
    EXPECT_NEAR(m.at("attack_auc"), 0.5, 0.053) << name;
  }
}

// The root of the last round by itself.
double residue_auc(double eps, int W, int rounds) {
  RunSpec spec = scene::spec("masked", "label-residue");
  spec.privacy.eps_ap = eps;
  spec.privacy.W = W;
  spec.privacy.ratio = W == 1 ? 0 : 0.03;
  spec.train.rounds = spec.attack.trees = rounds;
  Records records, last;
  keep_for_judge(spec, records);
  toy::train(find_method("masked"), spec, parties(), 2, records);
  last.tape.record([](Party, Kind, const Tag&) { return true; });
  for (const Message& message : records.tape.recorded())
    if (message.tag.tree == rounds - 1) last.tape.hear(message);
  ThreadPool pool(1);
  for (const Metric& m : attack_metrics(spec, scene::prepared(parties()), last, pool, 7))
    if (m.name == "attack_auc") return m.value;
  return -1;
}

// Holds as soon as g and the noise that masked sends have one grid; until then see
// residue_test.cpp.
TEST(LabelResidue, is_blind_on_what_masked_sends) {
  for (const double eps : {0.5, 8.0})
    for (const int W : {1, 2, 3})
      for (const int rounds : {1, 5})
        EXPECT_NEAR(residue_auc(eps, W, rounds), 0.5, 0.053) << eps << ' ' << W << ' ' << rounds;
}

TEST(LabelAverage, grows_with_the_copies_and_is_exact_in_clear) {
  RunSpec spec = scene::spec("masked", "label-average");
  spec.privacy.eps_ap = 2;
  spec.train.max_depth = 4;
  spec.train.rounds = 6;
  const double root = scene::attack(spec, parties())["attack_auc"];
  spec.attack.nodes = 31;
  spec.attack.trees = 6;
  const double more = scene::attack(spec, parties())["attack_auc"];
  EXPECT_GT(root, 0.8);
  EXPECT_GT(more, root + 0.02);
  EXPECT_EQ(scene::attack(scene::spec("nonprivate", "label-average"), parties())["attack_accuracy"],
            1.0);
}

TEST(LabelAverage, reads_the_ldp_methods_and_gains_by_rounds) {
  for (const char* method : {"xgb-ldp", "fedxgb-ldp"}) {
    RunSpec spec = scene::spec(method, "label-average");
    spec.train.rounds = 20;
    spec.train.learning_rate = 0.05;
    spec.privacy.eps_ap = 2;
    const double one = scene::attack(spec, parties())["attack_auc"];
    spec.attack.trees = 20;
    const double all = scene::attack(spec, parties())["attack_auc"];
    EXPECT_GT(one, 0.55) << method;
    EXPECT_GT(all, one + 0.1) << method;
  }
}

// Randomised response at eps: right with probability e^eps/(1 + e^eps), however long it trains.
TEST(LabelAverage, of_released_labels_is_right_as_often_as_the_response_is) {
  for (const char* method : {"label-rr", "late-fusion"}) {
    RunSpec spec = scene::spec(method, "label-average");
    spec.privacy.eps_ap = 1;
    const double keep = std::exp(1.0) / (1 + std::exp(1.0));
    EXPECT_NEAR(scene::attack(spec, parties())["attack_accuracy"], keep,
                5 * std::sqrt(keep * (1 - keep) / 3000))
        << method;
  }
}

TEST(Leaf, learns_from_totals_alone) {
  RunSpec spec = scene::spec("masked", "leaf");
  spec.privacy.eps_ap = 8;
  spec.mode = Mode::collapsed;  // needs no messages but the totals
  auto m = scene::attack(spec, parties());
  const double shallow = m["attack_auc"];  // totals of depths 0 to 2
  EXPECT_GT(shallow, 0.6);
  spec.train.max_depth = 6;
  spec.train.rounds = spec.attack.trees = 4;
  m = scene::attack(spec, parties());
  EXPECT_GT(m["attack_auc"], shallow + 0.05);
  EXPECT_GT(m["attack_accuracy"], m["attack_floor_accuracy"] + 0.05);
}

// paillier and others tell PP no sums: the row sets alone part the labels, up to the sign.
TEST(Leaf, learns_from_row_sets_alone_and_skips_without_them) {
  RunSpec spec = scene::spec("nonprivate", "leaf");
  spec.train.rounds = spec.attack.trees = 5;
  const double area = scene::attack(spec, parties())["attack_auc"];
  EXPECT_GT(std::abs(area - 0.5), 0.15);  // five standard errors of a blind guess: .053
  std::string reason;
  EXPECT_EQ(scene::attack(scene::spec("federboost", "leaf"), parties(), &reason)["skip"], -1);
  EXPECT_NE(reason.find("no G, H and row sets"), std::string::npos) << reason;
}

TEST(LabelAttacks, say_why_they_skip) {
  std::string reason;
  scene::attack(scene::spec("xgb-ldp", "label-subspace"), parties(), &reason);
  EXPECT_NE(reason.find("no noise B"), std::string::npos);
  RunSpec spec = scene::spec("masked", "label-subspace");
  spec.mode = Mode::fused;
  scene::attack(spec, parties(), &reason);
  EXPECT_NE(reason.find("mode: materialised"), std::string::npos);
  scene::attack(scene::spec("bilateral-rr", "label-average"), parties(), &reason);
  EXPECT_NE(reason.find("no gradients and no labels"), std::string::npos);
}

}  // namespace
}  // namespace maskbench
