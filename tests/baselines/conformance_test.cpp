#include <gtest/gtest.h>

#include "baselines/methods.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

struct Case {
  const char* id;
  const Method& (*method)();
};

RunSpec zero_noise() {
  RunSpec spec;
  spec.train.rounds = 3;
  spec.train.max_depth = 4;
  spec.privacy.zero_noise = true;
  spec.label_rr.split_lambda =
      spec.train.lambda;  // label-rr shrinks more than nonprivate by default
  return spec;
}

class Conformance : public testing::TestWithParam<Case> {};

// With its noise off every protocol must grow exactly the trees of nonprivate.
TEST_P(Conformance, without_noise_grows_the_trees_of_nonprivate) {
  for (uint32_t seed : {1u, 2u}) {
    const toy::Parties p = toy::parties(1500, 6, seed, 16);
    const TrainResult ours = toy::train(GetParam().method(), zero_noise(), p, 2);
    const TrainResult clear = toy::train(nonprivate_method(), zero_noise(), p, 1);
    EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
  }
}

// Small: a test's key is as long as a real one.
TEST(Paillier, grows_the_trees_of_nonprivate) {
  const toy::Parties p = toy::parties(300, 6, 1, 8);
  for (bool gbdt : {false, true}) {
    RunSpec spec = zero_noise();
    spec.train.gbdt = gbdt;
    spec.train.rounds = 2;
    spec.train.max_depth = 3;
    spec.paillier.key_bits = 1024;
    const TrainResult ours = toy::train(paillier_method(), spec, p, 2);
    const TrainResult clear = toy::train(nonprivate_method(), spec, p, 1);
    EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
  }
}

// fedxgb-ldp counts rows instead of hessians: it is the gradient-only variant of nonprivate.
TEST(GradientOnly, fedxgb_ldp_without_noise_grows_the_trees_of_gradient_only_nonprivate) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  RunSpec gradient_only = zero_noise();
  gradient_only.train.gbdt = true;
  const TrainResult ours = toy::train(fedxgb_ldp_method(), zero_noise(), p, 2);
  const TrainResult clear = toy::train(nonprivate_method(), gradient_only, p, 1);
  EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
}

INSTANTIATE_TEST_SUITE_P(Baselines, Conformance,
                         testing::Values(Case{"nonprivate", nonprivate_method},
                                         Case{"smm", smm_method}, Case{"xgb_ldp", xgb_ldp_method},
                                         Case{"federboost", federboost_method},
                                         Case{"opboost", opboost_method},
                                         Case{"label_rr", label_rr_method},
                                         Case{"bilateral_rr", bilateral_rr_method}),
                         [](const auto& entry) { return std::string(entry.param.id); });

// Any thread count gives the same trees; another key gives other trees where trees follow a key.
struct KeyCase {
  const char* id;
  const Method& (*method)();
  bool follows_key;
};
class Repeatable : public testing::TestWithParam<KeyCase> {};

TEST_P(Repeatable, same_trees_for_any_thread_count_and_others_for_another_key) {
  const toy::Parties p = toy::parties(3000, 6, 3, 16);
  RunSpec spec = zero_noise();
  spec.privacy.zero_noise = false;
  const auto trees = [&](int threads) {
    return toy::fingerprint(toy::train(GetParam().method(), spec, p, threads).model);
  };
  const std::string one = trees(1);
  EXPECT_EQ(one, trees(3));
  spec.seed = 99;
  EXPECT_EQ(trees(1) != one, GetParam().follows_key);
}

INSTANTIATE_TEST_SUITE_P(Baselines, Repeatable,
                         testing::Values(KeyCase{"local", local_method, false},
                                         KeyCase{"random_split", random_split_method, true},
                                         KeyCase{"smm", smm_method, false},  // its sums are exact
                                         KeyCase{"xgb_ldp", xgb_ldp_method, true},
                                         KeyCase{"fedxgb_ldp", fedxgb_ldp_method, true},
                                         KeyCase{"federboost", federboost_method, true},
                                         KeyCase{"opboost", opboost_method, true},
                                         KeyCase{"late_fusion", late_fusion_method, true},
                                         KeyCase{"label_rr", label_rr_method, true},
                                         KeyCase{"bilateral_rr", bilateral_rr_method, true}),
                         [](const auto& entry) { return std::string(entry.param.id); });

}  // namespace
}  // namespace maskbench
