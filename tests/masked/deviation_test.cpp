// A party that leaves the protocol, the other keeping to it.
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/methods.hpp"
#include "harness/masked/masked.hpp"
#include "harness/trees/metrics.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

RunSpec honest(Mode mode) {
  RunSpec spec;
  spec.method = "masked";
  spec.mode = mode;
  spec.train.rounds = 3;
  spec.train.max_depth = 4;
  spec.privacy.eps_ap = 4;
  return spec;
}

std::string trees_by(const Method& method, const RunSpec& spec, const toy::Parties& p) {
  return toy::fingerprint(toy::train(method, spec, p, 1).model);
}

double noise_variance(const RunSpec& spec, const toy::Parties& p) {
  Records records;
  records.tape.record([](Party, Kind kind, const Tag&) { return kind == Kind::noise; });
  toy::train(masked_method(), spec, p, 1, records);
  double squares = 0, count = 0;
  for (const Message& message : records.tape.recorded()) {
    const auto* b = dynamic_cast<const HostValues<int32_t>*>(message.payload.get());
    if (b == nullptr) continue;
    for (int32_t v : b->values) squares += double(v) * v;
    count += static_cast<double>(b->values.size());
  }
  return squares / count;
}

TEST(Deviation, without_B_or_without_C_the_trees_are_those_of_nonprivate) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  for (Mode mode : {Mode::materialised, Mode::fused, Mode::collapsed}) {
    RunSpec spec = honest(mode);
    const std::string clear = trees_by(nonprivate_method(), spec, p);
    EXPECT_NE(trees_by(masked_method(), spec, p), clear) << name_of(mode);
    spec.deviation.ap_c = 0;
    EXPECT_EQ(trees_by(masked_method(), spec, p), clear) << name_of(mode);
    spec.deviation = {};
    spec.deviation.pp_sigma1 = spec.deviation.pp_sigma2 = 0;
    EXPECT_EQ(trees_by(masked_method(), spec, p), clear) << name_of(mode);
  }
}

// Claim U9 in integers: what sigma1 makes cancels, so a PP that leaves it away changes no tree.
TEST(Deviation, sigma1_changes_no_tree) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  for (Mode mode : {Mode::materialised, Mode::fused, Mode::collapsed}) {
    RunSpec spec = honest(mode);
    const std::string agreed = trees_by(masked_method(), spec, p);
    spec.deviation.pp_sigma1 = 0;
    EXPECT_EQ(trees_by(masked_method(), spec, p), agreed) << name_of(mode);
    spec.deviation = {};
    spec.deviation.pp_sigma2 = 0.5;
    EXPECT_NE(trees_by(masked_method(), spec, p), agreed) << name_of(mode);
  }
}

TEST(Deviation, the_noise_has_the_variance_that_PP_chose) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  RunSpec spec = honest(Mode::materialised);
  spec.train.rounds = 1;
  spec.privacy.ratio = 2;  // variance 2 R + 1 = 5 in units of sigma2^2
  const double agreed = noise_variance(spec, p);
  spec.deviation.pp_sigma1 = 0;
  EXPECT_NEAR(noise_variance(spec, p) / agreed, 1.0 / 5, 0.01);
  spec.deviation = {};
  spec.deviation.pp_sigma2 = 4;
  EXPECT_NEAR(noise_variance(spec, p) / agreed, 20.0 / 5, 0.05);
}

TEST(Deviation, a_random_split_under_the_best_score_costs_AUC) {
  const toy::Parties p = toy::parties(3000, 6, 3, 16);
  RunSpec spec = honest(Mode::fused);
  spec.privacy.eps_ap = 1e6;
  spec.privacy.mu = privacy::MuKind::label;
  const double agreed = auc(toy::train(masked_method(), spec, p, 1).margins, p.data.labels);
  spec.deviation.pp_split = OfferedSplit::random;
  const double random = auc(toy::train(masked_method(), spec, p, 1).margins, p.data.labels);
  EXPECT_LT(random, agreed - 0.01);
}

}  // namespace
}  // namespace maskbench
