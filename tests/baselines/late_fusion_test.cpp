#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "baselines/methods.hpp"
#include "baselines/query_probe.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/model_io.hpp"
#include "harness/trees/passive_score.hpp"
#include "harness/trees/predict.hpp"
#include "tests/support/metric_name.hpp"
#include "tests/support/scratch_dir.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

RunSpec spec_of() {
  RunSpec spec;
  spec.method = "late-fusion";
  spec.train.rounds = 5;
  spec.train.max_depth = 3;
  spec.late_fusion.trees = 12;
  spec.privacy.eps_ap = 2;
  return spec;
}

// With what a model needs to know of the columns: the first half of the features is AP's.
Model model_of(const Method& method, const RunSpec& spec, const toy::Parties& p) {
  Model model = toy::train(method, spec, p, 2).model;
  for (size_t f = 0; f < p.data.features.size(); ++f)
    (f < p.ap.cuts.size() ? model.ap_features : model.pp_features)
        .push_back({p.data.features[f].name, {}});
  return model;
}

TEST(LateFusion, ap_grows_the_trees_of_local_and_pp_sends_nothing) {
  const toy::Parties p = toy::parties(1500, 6, 1, 16);
  Records records;
  const TrainResult ours = toy::train(late_fusion_method(), spec_of(), p, 1, records);
  const TrainResult alone = toy::train(local_method(), spec_of(), p, 1);
  EXPECT_EQ(toy::fingerprint(ours.model.trees, {&ours.model.ap_rules}),
            toy::fingerprint(alone.model.trees, {&alone.model.ap_rules}));
  EXPECT_TRUE(ours.model.pp_rules.empty());
  for (size_t k = 0; k < kKinds; ++k) {
    EXPECT_EQ(records.tape.messages(Party::pp, static_cast<Kind>(k)), 0u);
    const bool labels = static_cast<Kind>(k) == Kind::labels;
    EXPECT_EQ(records.tape.messages(Party::ap, static_cast<Kind>(k)), labels ? 1u : 0u);
  }
  ASSERT_EQ(ours.model.pp_score->trees.size(), 12u);
  for (const Tree& tree : ours.model.pp_score->trees)
    for (const TreeNode& node : tree.nodes) EXPECT_TRUE(node.is_leaf() || node.owner == Party::pp);
}

// PP's trees see none of AP's features and its targets are unbiased: with the labels in clear PP's
// share of positives is calibrated on its own rows, and the fused margin beats both halves.
TEST(LateFusion, the_sum_beats_both_halves) {
  const toy::Parties p = toy::parties(4000, 8, 5, 16);
  for (const bool zero_noise : {true, false}) {
    RunSpec spec = spec_of();
    spec.privacy.zero_noise = zero_noise;
    const Model model = model_of(late_fusion_method(), spec, p);
    ThreadPool pool(1);
    Model ap_only = model;
    ap_only.pp_score.reset();
    const double ap = auc(predict_margins(ap_only, p.data), p.data.labels);
    const double pp = auc(passive_scores(*model.pp_score, p.pp, pool), p.data.labels);
    const double both = auc(predict_margins(model, p.data), p.data.labels);
    EXPECT_GT(both, std::max(ap, pp) + 0.02) << ap << ' ' << pp;
  }
}

TEST(LateFusion, weight_scales_pps_part_alone) {
  const toy::Parties p = toy::parties(500, 6, 2, 16);
  RunSpec spec = spec_of();
  const Model one = model_of(late_fusion_method(), spec, p);
  spec.late_fusion.weight = 0.25;
  const Model quarter = model_of(late_fusion_method(), spec, p);
  EXPECT_EQ(toy::fingerprint(one), toy::fingerprint(quarter));
  Model none = one;
  none.pp_score.reset();
  const auto base = predict_margins(none, p.data), full = predict_margins(one, p.data),
             less = predict_margins(quarter, p.data);
  for (size_t j = 0; j < base.size(); ++j)
    EXPECT_NEAR(less[j] - base[j], 0.25f * (full[j] - base[j]), 1e-5);
}

class LateFusionModel : public testing::TestWithParam<double> {};  // stack_eps

// Bins and raw values, the model as trained and as saved: all predict the same.
TEST_P(LateFusionModel, predicts_the_same_by_bins_and_from_a_file) {
  const toy::Parties p = toy::parties(800, 6, 3, 16);
  RunSpec spec = spec_of();
  spec.late_fusion.stack_eps = GetParam();
  spec.late_fusion.eps_query = 3;
  const Model model = model_of(late_fusion_method(), spec, p);
  ThreadPool pool(1);
  const PhiloxKey key{7, 9};
  std::vector<float> by_bins(p.data.rows(), model.base_margin);
  PartyData levels;
  const PartyData& pp = add_answers(model, p.pp, key, pool, by_bins, levels);
  for (const Tree& tree : model.trees)
    add_tree(tree, model.ap_rules, model.pp_rules, p.ap, pp, pool, by_bins);
  EXPECT_EQ(predict_margins(model, p.data, key), by_bins);
  EXPECT_NE(predict_margins(model, p.data, {7, 10}), by_bins) << "no noise on the answers";
  const ScratchDir dir;
  save_model(model, dir.path() + "/model");
  EXPECT_EQ(predict_margins(load_model(dir.path() + "/model"), p.data, key), by_bins);
}
INSTANTIATE_TEST_SUITE_P(Both, LateFusionModel, testing::Values(0.0, 4.0));

// Laplace noise of scale 2B/eps: the mean of |noise| is the scale, its own deviation the same.
TEST(LateFusion, a_noised_answer_has_the_noise_that_its_eps_asks_for) {
  PassiveScore model;
  model.bound = 1.5;
  model.eps_query = 2;
  std::vector<float> answers(20000, 9.0f);  // clipped to 1.5
  answer(model, {1, 2}, answers);
  double sum = 0, absolute = 0;
  for (const float a : answers) {
    sum += a - 1.5;
    absolute += std::abs(a - 1.5);
  }
  const double scale = 1.5, n = 20000;
  EXPECT_NEAR(sum / n, 0, 5 * scale * std::sqrt(2 / n));
  EXPECT_NEAR(absolute / n, scale, 5 * scale / std::sqrt(n));
  model.cuts = {-1, 0, 1};  // four levels by randomised response
  std::fill(answers.begin(), answers.end(), 0.5f);
  answer(model, {1, 2}, answers);
  const double kept = static_cast<double>(std::count(answers.begin(), answers.end(), 2.0f)) / n;
  const double keep = std::exp(2.0) / (std::exp(2.0) + 3);
  EXPECT_NEAR(kept, keep, 5 * std::sqrt(keep * (1 - keep) / n));
}

TEST(LateFusion, stacked_levels_are_released_once_and_help_ap) {
  const toy::Parties p = toy::parties(4000, 8, 5, 16);
  RunSpec spec = spec_of();
  spec.late_fusion.stack_eps = 6;
  Records records;
  const TrainResult ours = toy::train(late_fusion_method(), spec, p, 1, records);
  EXPECT_EQ(records.tape.bytes(Party::pp, Kind::buckets), 4000u + 24);  // and its frame
  EXPECT_FALSE(ours.model.pp_rules.empty()) << "AP never split on the score";
  const auto quality = [&](const Method& method) {
    return auc(predict_margins(model_of(method, spec, p), p.data), p.data.labels);
  };
  EXPECT_GT(quality(late_fusion_method()), quality(local_method()) + 0.02);
}

// What AP learns of PP's features from the answers: in clear one answer tells all that 10000 do;
// with noise one tells next to nothing, and 10000 take the noise off again.
TEST(LateFusion, what_answers_tell_of_pps_features) {
  const toy::Parties p = toy::parties(600, 6, 4, 16);
  const auto told = [&](double eps_query) {
    RunSpec spec = spec_of();
    spec.privacy.zero_noise = true;  // of the labels, so that the score is worth something
    spec.late_fusion.eps_query = eps_query;
    const Model model = model_of(late_fusion_method(), spec, p);
    const Notebook notes;
    ThreadPool pool(1);
    std::map<std::string, double> out;
    for (const Metric& m : query_metrics({spec, p.ap, p.data.labels, p.pp, model, notes, 3, pool}))
      out[full_name(m)] = m.value;
    return out;
  };
  const auto clear = told(0), noised = told(0.2);
  EXPECT_GT(clear.at("query_bit_auc_max 1"), 0.75);
  EXPECT_EQ(clear.at("query_bit_auc 1"), clear.at("query_bit_auc 10000"));
  EXPECT_LT(noised.at("query_bit_auc 1"), clear.at("query_bit_auc 1") - 0.05);
  EXPECT_GT(noised.at("query_bit_auc 10000"), noised.at("query_bit_auc 1") + 0.03);
}

}  // namespace
}  // namespace maskbench
