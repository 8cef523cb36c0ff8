#include <gtest/gtest.h>

#include "attacks/attacks.hpp"
#include "tests/attacks/scene.hpp"

namespace maskbench {
namespace {

const toy::Parties& small_parties() {
  static const toy::Parties p = toy::parties(1000, 6, 21, 16);
  return p;
}

class LabelNn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!label_nn_missing().empty()) GTEST_SKIP() << label_nn_missing();
  }

  static RunSpec spec(double eps_ap, const std::string& attack) {
    RunSpec out = scene::spec("masked", attack);
    out.train.rounds = 1;
    out.privacy.eps_ap = eps_ap;
    out.attack.train_rows = 1500;
    return out;
  }
};

// With next to no noise the network has only to pass <g> on.
TEST_P(LabelNn, reads_the_labels_where_the_noise_is_negligible) {
  auto m = scene::attack(spec(1e5, GetParam()), small_parties());
  EXPECT_GT(m["attack_balanced_accuracy"], 0.95);
  EXPECT_GT(m["attack_auc"], 0.99);
  EXPECT_EQ(m["attack_rows"], 1000);
  EXPECT_EQ(m["attack_train_rows"], 1500);
  EXPECT_EQ(m["attack_inputs"], 4 * 3);  // b, <g>, <h> of four candidates
  EXPECT_GT(m["attack_epochs"], 1);
}

TEST_P(LabelNn, repeats_itself) {
  RunSpec once = spec(8, GetParam());
  once.attack.train_rows = 500;
  const auto first = scene::attack(once, small_parties()),
             second = scene::attack(once, small_parties());
  for (const char* metric : {"attack_accuracy", "attack_auc", "attack_epochs"})
    EXPECT_EQ(first.at(metric), second.at(metric)) << metric;
}

TEST_P(LabelNn, says_why_it_skips) {
  std::string reason;
  scene::attack(scene::spec("xgb-ldp", GetParam()), small_parties(), &reason);
  EXPECT_NE(reason.find("no noise B"), std::string::npos) << reason;
  RunSpec fused = spec(1, GetParam());
  fused.mode = Mode::fused;
  scene::attack(fused, small_parties(), &reason);
  EXPECT_NE(reason.find("mode: materialised"), std::string::npos) << reason;
}

INSTANTIATE_TEST_SUITE_P(Both, LabelNn, testing::Values("label-nn", "label-nn-decay"),
                         [](const auto& which) {
                           return std::string(which.param) == "label-nn" ? "penalty" : "decay";
                         });

// Without libtorch a run of it is a row that says what to install.
TEST(LabelNnMissing, is_reported_not_hidden) {
  if (label_nn_missing().empty()) GTEST_SKIP() << "libtorch is here";
  std::string reason;
  scene::attack(scene::spec("masked", "label-nn"), small_parties(), &reason);
  EXPECT_NE(reason.find("libtorch-dev"), std::string::npos);
}

// How the network fares at the paper's budgets is what configs/fig-label-attack.yaml shows.

}  // namespace
}  // namespace maskbench
