#include <gtest/gtest.h>

#include <cmath>

#include "baselines/methods.hpp"
#include "baselines/noisy_buckets.hpp"
#include "baselines/public_labels.hpp"
#include "harness/base/random.hpp"
#include "harness/exchange/in_process.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

// A node's sums without what the response did to the borrowed features.
std::vector<GradientSum> undone(const BorrowedFeatures& copies, std::span<const GradientSum> sums) {
  std::vector<GradientSum> out(sums.begin(), sums.end());
  const PartyData& all = copies.all();
  for (size_t f = 0; f < all.cuts.size(); ++f) {
    GradientSum total;
    for (uint32_t b = all.offsets[f]; b < all.offsets[f + 1]; ++b) total += sums[b];
    for (uint32_t b = all.offsets[f]; b < all.offsets[f + 1]; ++b)
      out[b] = undo(copies.responses()[f], sums[b], total);
  }
  return out;
}

RunSpec options_spec() {
  RunSpec spec;
  spec.train.rounds = 2;
  spec.train.max_depth = 4;
  spec.privacy.zero_noise = true;
  return spec;
}

void expect_trees_of_nonprivate(const Method& method, const RunSpec& spec) {
  const toy::Parties p = toy::parties(1500, 6, 4, 16);
  EXPECT_EQ(toy::fingerprint(toy::train(method, spec, p, 2).model),
            toy::fingerprint(toy::train(nonprivate_method(), spec, p, 1).model));
}

TEST(Options, fresh_noise_a_node_and_noisy_leaves_are_nonprivate_without_noise) {
  RunSpec spec = options_spec();
  spec.ldp.refresh = Refresh::node;
  spec.ldp.leaves = LdpLeaves::noisy;
  expect_trees_of_nonprivate(xgb_ldp_method(), spec);
}

TEST(Options, debiased_buckets_are_nonprivate_without_noise) {
  RunSpec spec = options_spec();
  spec.federboost.debias = true;
  expect_trees_of_nonprivate(federboost_method(), spec);
}

// AP scores the rows of PP's offers itself: no split counts for more than the best there is, at the
// root of the first tree. Under such noise PP's own scores go beyond it.
TEST(Verify, a_split_is_taken_for_its_clean_score_and_pp_pays_with_rows) {
  const toy::Parties p = toy::parties(3000, 6, 4, 16);
  RunSpec spec;
  spec.train.rounds = 1;
  spec.train.max_depth = 5;
  spec.privacy.eps_ap = 0.1;
  spec.privacy.scope = privacy::Scope::tree;
  const auto most_gained = [&](const Method& method, bool verify, Records& records) {
    spec.verify = verify;
    const Model model = toy::train(method, spec, p, 1, records).model;
    double most = 0;
    for (const TreeNode& node : model.trees[0].nodes) most = std::max(most, node.gain);
    return most;
  };
  Records clear, trusted, verified;
  const double best = most_gained(nonprivate_method(), false, clear);
  EXPECT_LE(most_gained(xgb_ldp_method(), true, verified), best);
  EXPECT_GT(most_gained(xgb_ldp_method(), false, trusted), best);
  EXPECT_GT(verified.tape.bytes(Party::pp, Kind::row_sets),
            trusted.tape.bytes(Party::pp, Kind::row_sets));
}

TEST(Verify, without_noise_changes_nothing) {
  const toy::Parties p = toy::parties(1500, 6, 4, 16);
  RunSpec spec = options_spec();
  const std::string clear = toy::fingerprint(toy::train(nonprivate_method(), spec, p, 1).model);
  spec.verify = true;
  EXPECT_EQ(toy::fingerprint(toy::train(xgb_ldp_method(), spec, p, 2).model), clear);
}

// 20000 rows: the kept share has a standard error of .0035, so 5 of them catch a response whose
// probability is off by .02.
TEST(Buckets, are_kept_as_often_as_the_response_says_and_debias_to_the_truth) {
  const toy::Parties p = toy::parties(20000, 4, 6, 8);
  RunSpec spec;
  spec.privacy.eps_pp = 2;
  spec.federboost.per_feature = true;
  ThreadPool pool(1);
  Records records;
  InProcess process(records.tape);
  Channel from(Party::pp, process.link(Party::pp), spec.privacy.unit);
  Channel to(Party::ap, process.link(Party::ap), spec.privacy.unit);
  BucketsPassive({spec, p.pp, pool, 7, from, records.of(Party::pp), pool}).start();
  BorrowedFeatures copies(p.ap, true);
  copies.receive(p.ap, to.receive<BucketHeader>(Kind::totals), to);
  const size_t own = p.ap.cuts.size();
  for (size_t f = 0; f < p.pp.cuts.size(); ++f) {
    const int buckets = p.pp.cuts[f].bins();
    size_t kept = 0;
    for (size_t row = 0; row < 20000; ++row) {
      kept += copies.all().bins.at(row, static_cast<int>(own + f)) ==
              p.pp.bins.at(row, static_cast<int>(f));
    }
    EXPECT_NEAR(static_cast<double>(kept) / 20000, privacy::bucket_rr(2, buckets).keep, 5 * 0.0035);
  }
  LevelHistograms noisy(copies.all(), pool), truth(p.pp, pool);
  RowSets rows(20000);
  const std::vector<GradientPair> ones(20000, GradientPair{1, 1});
  noisy.update(rows.root(0), ones);
  truth.update(rows.root(0), ones);
  const std::vector<GradientSum> sums = undone(copies, noisy[0]);
  for (size_t b = 0; b < truth[0].size(); ++b) {
    const double got = static_cast<double>(sums[copies.all().offsets[own] + b].g);
    EXPECT_NEAR(got, static_cast<double>(truth[0][b].g), 5 * std::sqrt(20000 * 0.5)) << b;
  }
}

TEST(Labels, are_flipped_as_often_as_the_response_says) {
  const std::vector<float> labels(40000, 1.0f);
  const ReleasedLabels released = release_labels(labels, 1.0, false, derive_key(3, "test"));
  double flipped = 0;
  for (uint8_t z : released.z) flipped += z == 0;
  EXPECT_NEAR(flipped / 40000, privacy::label_rr(1.0).flip, 5 * 0.0023);
  EXPECT_NEAR(released.flip, 1 / (1 + std::exp(1.0)), 1e-12);
}

}  // namespace
}  // namespace maskbench
