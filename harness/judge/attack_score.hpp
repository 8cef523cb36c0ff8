#pragma once

#include <span>
#include <vector>

#include "attacks/attack.hpp"
#include "harness/base/metric.hpp"
#include "harness/data/party.hpp"

// The judge of attacks: the only place where a guess meets the truth.
namespace maskbench {

// Share of the positives found at the score threshold that takes at most `fpr` of the negatives.
// NaN if there are no positives.
double tpr_at_fpr(std::span<const float> scores, std::span<const float> labels, double fpr);

// attack_accuracy, attack_balanced_accuracy, attack_auc, attack_tpr_at_1pct_fpr over the guessed
// rows, attack_floor_accuracy (the majority class), attack_rows.
std::vector<Metric> label_scores(const LabelGuess& guess, std::span<const float> labels);

// Over all guessed splitting vectors: bit_match (a row is said to be active if its probability is
// above 1/2), balanced_bit_match (mean over vectors; above the prior), bit_auc, bit_match_floor
// (the larger side of each vector), bit_vectors.
std::vector<Metric> bit_scores(const BitsGuesses& guesses, const PartyData& pp,
                               bool smaller_active);

}  // namespace maskbench
