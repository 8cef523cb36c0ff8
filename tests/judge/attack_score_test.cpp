#include "harness/judge/attack_score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace maskbench {
namespace {

std::map<std::string, double> by_name(const std::vector<Metric>& metrics) {
  std::map<std::string, double> out;
  for (const Metric& metric : metrics) out[metric.name] = metric.value;
  return out;
}

using Floats = std::vector<float>;

TEST(TprAtFpr, takes_the_lowest_threshold_that_the_alarms_allow) {
  //                    +    +    -    +    -    -
  const Floats score = {.9f, .8f, .7f, .6f, .5f, .4f};
  const Floats label = {1, 1, 0, 1, 0, 0};
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 0.0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 0.33), 2.0 / 3);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 0.34), 1.0);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 1.0), 1.0);
  const Floats reversed = {.4f, .5f, .6f, .7f, .8f, .9f};
  EXPECT_DOUBLE_EQ(tpr_at_fpr(reversed, label, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(reversed, label, 0.67), 1.0 / 3);
}

// No threshold lies between equal scores.
TEST(TprAtFpr, takes_ties_together) {
  const Floats score = {3, 2, 2, 2, 1, 1};
  const Floats label = {1, 1, 1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 0.0), 1.0 / 4);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 0.5), 3.0 / 4);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(score, label, 1.0), 1.0);
  const Floats constant(6, 0.5f);
  EXPECT_DOUBLE_EQ(tpr_at_fpr(constant, label, 0.9), 0.0);
}

TEST(TprAtFpr, of_one_class_alone) {
  EXPECT_DOUBLE_EQ(tpr_at_fpr(Floats{2, 1}, Floats{1, 1}, 0.01), 1.0);
  // Without positives there is no share of them, however many negatives there are.
  EXPECT_TRUE(std::isnan(tpr_at_fpr(Floats{2, 1}, Floats{0, 0}, 0.01)));
  Floats many(300);
  for (size_t j = 0; j < many.size(); ++j) many[j] = static_cast<float>(j);
  EXPECT_TRUE(std::isnan(tpr_at_fpr(many, Floats(300, 0.0f), 0.01)));
}

TEST(LabelScores, of_a_worked_example) {
  const Floats labels = {1, 0, 0, 1, 0, 0, 1, 0};
  LabelGuess guess;
  guess.rows = {6, 0, 1, 2, 4, 7};          // y = 1 1 0 0 0 0
  guess.score = {2, -1, 0.5f, -2, -1, -3};  // says 1 0 1 0 0 0
  const auto scores = by_name(label_scores(guess, labels));
  EXPECT_DOUBLE_EQ(scores.at("attack_accuracy"), 4.0 / 6);
  EXPECT_DOUBLE_EQ(scores.at("attack_balanced_accuracy"), (1.0 / 2 + 3.0 / 4) / 2);
  // Of 8 pairs: 4 by the first positive; the second beats -2 and -3, ties with -1.
  EXPECT_DOUBLE_EQ(scores.at("attack_auc"), (4 + 2 + 0.5) / 8);
  EXPECT_DOUBLE_EQ(scores.at("attack_tpr_at_1pct_fpr"), 1.0 / 2);
  EXPECT_DOUBLE_EQ(scores.at("attack_floor_accuracy"), 4.0 / 6);
  EXPECT_DOUBLE_EQ(scores.at("attack_rows"), 6);
}

TEST(LabelScores, a_score_of_0_says_no_and_one_class_counts_for_both) {
  const LabelGuess guess{{0, 1, 2}, {0, 1, -1}};
  const auto scores = by_name(label_scores(guess, Floats{0, 0, 0}));
  EXPECT_DOUBLE_EQ(scores.at("attack_accuracy"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("attack_balanced_accuracy"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("attack_floor_accuracy"), 1.0);
  EXPECT_TRUE(std::isnan(scores.at("attack_auc")));
  EXPECT_TRUE(std::isnan(scores.at("attack_tpr_at_1pct_fpr")));
}

// One feature with bins 0, 1, 2 and the candidates "<= 0" and "<= 1".
PartyData three_bins() {
  return PartyData({"x"}, {{{0.5f, 1.5f}, false}}, {6, 1, {0, 0, 1, 1, 2, 0}});
}

TEST(BitScores, of_a_worked_example) {
  const PartyData pp = three_bins();
  ASSERT_EQ(pp.candidates.size(), 2u);
  BitsGuesses guesses(2);
  guesses[0] = {0, 0.3, {0, 2, 3, 4}, {0.4f, 0.6f, 0.2f, 0.1f}};            // truth 1 0 0 0
  guesses[1] = {1, 0.5, {5, 1, 2, 3, 4}, {0.9f, 0.8f, 0.7f, 0.4f, 0.45f}};  // truth 1 1 1 1 0
  const auto scores = by_name(bit_scores(guesses, pp, false));
  // Above 1/2: 0 1 0 0 hits 2 of 4; 1 1 1 0 0 hits 4 of 5.
  EXPECT_DOUBLE_EQ(scores.at("bit_match"), 6.0 / 9);
  // Above the prior: 1 1 0 0 has 1/1 and 2/3; 1 1 1 0 0 has 3/4 and 1/1.
  EXPECT_DOUBLE_EQ(scores.at("balanced_bit_match"), ((1 + 2.0 / 3) / 2 + (3.0 / 4 + 1) / 2) / 2);
  EXPECT_DOUBLE_EQ(scores.at("bit_auc"), (2.0 / 3 + 3.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(scores.at("bit_match_floor"), (3.0 + 4.0) / 9);
  EXPECT_DOUBLE_EQ(scores.at("bit_vectors"), 2);
}

// orient: smaller turns a vector whose left side has more than half of the rows, and no other.
TEST(BitScores, speak_of_the_smaller_side_where_that_is_the_active_one) {
  const PartyData pp = three_bins();
  const auto match = [&](int64_t candidate, std::vector<uint32_t> rows, Floats probability,
                         bool smaller) {
    const BitsGuesses one = {{candidate, 0.5, std::move(rows), std::move(probability)}};
    return by_name(bit_scores(one, pp, smaller)).at("bit_match");
  };
  const Floats says_left = {1, 1, 1, 1, 0, 1};  // of "<= 1"
  EXPECT_EQ(match(1, {0, 1, 2, 3, 4, 5}, says_left, false), 1.0);
  EXPECT_EQ(match(1, {0, 1, 2, 3, 4, 5}, says_left, true), 0.0);
  const Floats half = {1, 1, 0, 0, 0, 1};  // of "<= 0": 3 of 6 stay as they are
  EXPECT_EQ(match(0, {0, 1, 2, 3, 4, 5}, half, false), 1.0);
  EXPECT_EQ(match(0, {0, 1, 2, 3, 4, 5}, half, true), 1.0);
}

}  // namespace
}  // namespace maskbench
