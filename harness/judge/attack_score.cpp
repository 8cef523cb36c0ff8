#include "harness/judge/attack_score.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "harness/trees/metrics.hpp"

namespace maskbench {

namespace {

// Counts of a yes/no guess against the truth.
struct Confusion {
  double hit[2] = {0, 0};  // by truth
  double all[2] = {0, 0};

  void add(bool truth, bool guess) {
    hit[truth] += truth == guess;
    ++all[truth];
  }
  double total() const { return all[0] + all[1]; }
  double accuracy() const { return (hit[0] + hit[1]) / total(); }
  // One class alone: its share of hits counts for both.
  double balanced() const {
    if (all[0] == 0 || all[1] == 0) return accuracy();
    return (hit[0] / all[0] + hit[1] / all[1]) / 2;
  }
  double floor() const { return std::max(all[0], all[1]) / total(); }
};

std::vector<float> true_bits(const PartyData& pp, const BitsGuess& guess, bool smaller_active) {
  const Candidate candidate = candidates_of(pp.cuts)[static_cast<size_t>(guess.candidate)];
  std::vector<uint64_t> words(bit_words(guess.rows.size()));
  splitting_bits(pp, candidate, guess.rows, words);
  std::vector<float> bits(guess.rows.size());
  double left = 0;
  for (size_t j = 0; j < bits.size(); ++j) {
    bits[j] = static_cast<float>(words[j / 64] >> (j % 64) & 1);
    left += bits[j];
  }
  if (smaller_active && 2 * left > static_cast<double>(bits.size()))
    for (float& bit : bits) bit = 1 - bit;
  return bits;
}

}  // namespace

double tpr_at_fpr(std::span<const float> scores, std::span<const float> labels, double fpr) {
  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
  const double positives = std::accumulate(labels.begin(), labels.end(), 0.0);
  const double negatives = static_cast<double>(labels.size()) - positives;
  if (positives == 0) return std::numeric_limits<double>::quiet_NaN();
  double hits = 0, alarms = 0, best = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    (labels[order[k]] > 0.5f ? hits : alarms) += 1;
    const bool tied = k + 1 < order.size() && scores[order[k + 1]] == scores[order[k]];
    if (tied) continue;
    if (alarms > fpr * negatives) break;
    best = hits / positives;
  }
  return best;
}

std::vector<Metric> label_scores(const LabelGuess& guess, std::span<const float> labels) {
  std::vector<float> truth;
  Confusion counts;
  for (size_t k = 0; k < guess.rows.size(); ++k) {
    truth.push_back(labels[guess.rows[k]]);
    counts.add(truth.back() > 0.5f, guess.score[k] > 0);
  }
  return {{"attack_accuracy", counts.accuracy(), ""},
          {"attack_balanced_accuracy", counts.balanced(), ""},
          {"attack_auc", auc(guess.score, truth), ""},
          {"attack_tpr_at_1pct_fpr", tpr_at_fpr(guess.score, truth, 0.01), ""},
          {"attack_floor_accuracy", counts.floor(), ""},
          {"attack_rows", counts.total(), "rows"}};
}

std::vector<Metric> bit_scores(const BitsGuesses& guesses, const PartyData& pp,
                               bool smaller_active) {
  Confusion all;
  double floor = 0, balanced = 0, area = 0;
  for (const BitsGuess& guess : guesses) {
    const std::vector<float> truth = true_bits(pp, guess, smaller_active);
    Confusion one;
    for (size_t j = 0; j < truth.size(); ++j) {
      all.add(truth[j] > 0.5f, guess.probability[j] > 0.5f);
      one.add(truth[j] > 0.5f, guess.probability[j] > static_cast<float>(guess.prior));
    }
    floor += one.floor() * one.total();
    balanced += one.balanced();
    area += auc(guess.probability, truth);
  }
  const auto vectors = static_cast<double>(guesses.size());
  return {{"bit_match", all.accuracy(), ""},
          {"balanced_bit_match", balanced / vectors, ""},
          {"bit_auc", area / vectors, ""},
          {"bit_match_floor", floor / all.total(), ""},
          {"bit_vectors", vectors, ""}};
}

}  // namespace maskbench
