#include <gtest/gtest.h>

#include "baselines/methods.hpp"
#include "harness/trees/metrics.hpp"
#include "harness/trees/model_io.hpp"
#include "harness/trees/predict.hpp"
#include "tests/support/toy.hpp"

namespace maskbench {
namespace {

RunSpec small_spec() {
  RunSpec spec;
  spec.train.rounds = 8;
  spec.train.max_depth = 5;
  return spec;
}

// One party that holds everything: the tree that no protocol can better.
TEST(Boosting, two_parties_in_clear_equal_one_pooled_party) {
  toy::Parties split = toy::parties(3000, 8, 1);
  toy::Parties pooled = toy::parties(3000, 8, 1);
  pooled.ap = whole_party(pooled.data, 0, 8, 32);
  const TrainResult two = toy::train(nonprivate_method(), small_spec(), split, 1);
  const TrainResult one = toy::train(local_method(), small_spec(), pooled, 1);
  EXPECT_EQ(two.margins, one.margins);
}

TEST(Boosting, prediction_equals_training_margins) {
  for (Objective objective : {Objective::classification, Objective::regression}) {
    for (bool gbdt : {false, true}) {
      const toy::Parties p = toy::parties(2000, 6, 5);
      RunSpec spec = small_spec();
      spec.train.objective = objective;
      spec.train.gbdt = gbdt;
      TrainResult result = toy::train(nonprivate_method(), spec, p, 2);
      for (const std::string& name : p.ap.names) result.model.ap_features.push_back({name, {}});
      for (const std::string& name : p.pp.names) result.model.pp_features.push_back({name, {}});
      EXPECT_EQ(predict_margins(result.model, p.data), result.margins);
      std::vector<float> by_bins(2000, result.model.base_margin);
      ThreadPool pool(1);
      for (const Tree& tree : result.model.trees) {
        add_tree(tree, result.model.ap_rules, result.model.pp_rules, p.ap, p.pp, pool, by_bins);
      }
      EXPECT_EQ(by_bins, result.margins);
    }
  }
}

TEST(Boosting, same_bytes_for_any_thread_count_and_repeat) {
  const toy::Parties p = toy::parties(20000, 8, 2);
  std::string first;
  for (int threads : {1, 2, 3, 2}) {
    const TrainResult result = toy::train(nonprivate_method(), small_spec(), p, threads);
    const std::string text = toy::fingerprint(result.model);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads << " threads";
  }
}

TEST(Boosting, learns_and_pp_helps) {
  const toy::Parties p = toy::parties(8000, 8, 3);
  const double both =
      auc(toy::train(nonprivate_method(), small_spec(), p, 1).margins, p.data.labels);
  const double alone = auc(toy::train(local_method(), small_spec(), p, 1).margins, p.data.labels);
  EXPECT_GT(alone, 0.7);
  EXPECT_GT(both, alone + 0.02);
}

TEST(Boosting, random_base_score_is_uniform_and_seeded) {
  TrainSpec train;
  train.base_score = BaseScore::random;
  const std::vector<float> labels(10000, 0.0f);
  const std::vector<float> a = initial_margins(train, labels, 7);
  EXPECT_EQ(a, initial_margins(train, labels, 7));
  EXPECT_NE(a, initial_margins(train, labels, 8));
  double mean = 0, square = 0;
  for (float v : a) {
    EXPECT_LE(std::abs(v), 1.0f);
    mean += v / 1e4;
    square += v * v / 1e4;
  }
  EXPECT_NEAR(mean, 0, 0.03);  // 5 standard errors
  EXPECT_NEAR(square, 1.0 / 3, 0.015);
}

TEST(Boosting, a_solo_ap_sends_nothing) {
  const toy::Parties p = toy::parties(500, 4, 3);
  Records records;
  toy::train(local_method(), small_spec(), p, 1, records);
  EXPECT_EQ(records.tape.total_bytes(), 0u);
}

TEST(Boosting, stops_when_asked) {
  const toy::Parties p = toy::parties(500, 4, 3);
  const RunSpec spec = small_spec();
  int trees = 0;
  TrainHooks hooks;
  hooks.on_tree = [&](int) { ++trees; };
  hooks.stop = [&] { return trees == 3; };
  Records records;
  const TrainResult result = toy::train(nonprivate_method(), spec, p, 1, records, hooks);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.model.trees.size(), 3u);
}

TEST(Model, survives_the_round_trip_and_keeps_each_partys_thresholds_apart) {
  const toy::Parties p = toy::parties(2000, 6, 5);
  TrainResult result = toy::train(nonprivate_method(), small_spec(), p, 1);
  for (const std::string& name : p.ap.names) result.model.ap_features.push_back({name, {}});
  for (const std::string& name : p.pp.names) result.model.pp_features.push_back({name, {}});
  const std::string folder = testing::TempDir() + "maskbench_model";
  save_model(result.model, folder);
  const Model loaded = load_model(folder);
  EXPECT_EQ(predict_margins(loaded, p.data), result.margins);
  EXPECT_EQ(toy::fingerprint(loaded), toy::fingerprint(result.model));
  for (const SplitRule& rule : loaded.ap_rules) EXPECT_LT(rule.feature, "f3");
  for (const SplitRule& rule : loaded.pp_rules) EXPECT_GE(rule.feature, "f3");
}

}  // namespace
}  // namespace maskbench
