#include <gtest/gtest.h>

#include "baselines/methods.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

struct Case {
  const char* id;
  MethodFactory factory;
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
    Wire wire, clear_wire;
    const TrainResult ours = toy::train(GetParam().factory, zero_noise(), p, 2, wire);
    const TrainResult clear = toy::train(make_nonprivate, zero_noise(), p, 1, clear_wire);
    EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
    EXPECT_FALSE(wire.has_message(Party::ap)) << "a message nobody read";
    EXPECT_FALSE(wire.has_message(Party::pp)) << "a message nobody read";
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
    Wire wire, clear_wire;
    const TrainResult ours = toy::train(make_paillier, spec, p, 2, wire);
    const TrainResult clear = toy::train(make_nonprivate, spec, p, 1, clear_wire);
    EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
    EXPECT_FALSE(wire.has_message(Party::ap));
  }
}

// fedxgb-ldp counts rows instead of hessians: it is the gradient-only variant of nonprivate.
TEST(GradientOnly, fedxgb_ldp_without_noise_grows_the_trees_of_gradient_only_nonprivate) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  RunSpec gradient_only = zero_noise();
  gradient_only.train.gbdt = true;
  Wire wire, clear_wire;
  const TrainResult ours = toy::train(make_fedxgb_ldp, zero_noise(), p, 2, wire);
  const TrainResult clear = toy::train(make_nonprivate, gradient_only, p, 1, clear_wire);
  EXPECT_EQ(toy::fingerprint(ours.model), toy::fingerprint(clear.model));
}

INSTANTIATE_TEST_SUITE_P(Baselines, Conformance,
                         testing::Values(Case{"nonprivate", make_nonprivate}, Case{"smm", make_smm},
                                         Case{"xgb_ldp", make_xgb_ldp},
                                         Case{"federboost", make_federboost},
                                         Case{"label_rr", make_label_rr},
                                         Case{"bilateral_rr", make_bilateral_rr}),
                         [](const auto& entry) { return std::string(entry.param.id); });

// Methods that are not nonprivate in disguise: the same for any thread count and repeat.
class Repeatable : public testing::TestWithParam<Case> {};

TEST_P(Repeatable, same_trees_for_any_thread_count_and_another_for_another_key) {
  const toy::Parties p = toy::parties(3000, 6, 3, 16);
  RunSpec spec = zero_noise();
  spec.privacy.zero_noise = false;
  Wire a, b;
  const std::string one = toy::fingerprint(toy::train(GetParam().factory, spec, p, 1, a).model);
  EXPECT_EQ(one, toy::fingerprint(toy::train(GetParam().factory, spec, p, 3, b).model));
}

INSTANTIATE_TEST_SUITE_P(
    Baselines, Repeatable,
    testing::Values(Case{"local", make_local}, Case{"random_split", make_random_split},
                    Case{"smm", make_smm}, Case{"xgb_ldp", make_xgb_ldp},
                    Case{"fedxgb_ldp", make_fedxgb_ldp}, Case{"federboost", make_federboost},
                    Case{"label_rr", make_label_rr}, Case{"bilateral_rr", make_bilateral_rr}),
    [](const auto& entry) { return std::string(entry.param.id); });

}  // namespace
}  // namespace maskbench
