#include "harness/trees/passive_score.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/random.hpp"
#include "harness/trees/predict.hpp"
#include "kernels/math.hpp"

namespace maskbench {

namespace {

double log_odds(double share) {
  const double p = std::clamp(share, 0.005, 0.995);
  return log_f64(p) - log_f64(1 - p);
}

// By the inverse of its distribution; u = 0 would be infinite and is the next smallest.
double laplace(double scale, Draws& draws) {
  const double u = std::max(draws.uniform(), 0x1p-53);
  return u < 0.5 ? scale * log_f64(2 * u) : -scale * log_f64(2 * (1 - u));
}

}  // namespace

float score_of(const PassiveScore& model, float sum) {
  return static_cast<float>(log_odds(sum) - log_odds(model.base));
}

uint8_t level_of(const PassiveScore& model, float score) {
  const auto first = std::lower_bound(model.cuts.begin(), model.cuts.end(), score);
  return static_cast<uint8_t>(first - model.cuts.begin());
}

void answer(const PassiveScore& model, const RandomKey& key, std::span<float> scores) {
  Draws draws(key);
  if (!model.cuts.empty()) {
    const auto levels = static_cast<uint32_t>(model.cuts.size() + 1);
    const double keep =
        model.eps_query > 0 ? 1 / (1 + (levels - 1) * std::exp(-model.eps_query)) : 1;
    for (float& score : scores) {
      uint32_t level = level_of(model, score);
      if (keep < 1 && draws.uniform() >= keep)
        level = (level + 1 + draws.below(levels - 1)) % levels;  // any but itself
      score = static_cast<float>(level);
    }
  } else if (model.eps_query > 0) {
    for (float& score : scores) {
      const double clipped = std::clamp(score, -model.bound, model.bound);
      score = static_cast<float>(clipped + laplace(2 * model.bound / model.eps_query, draws));
    }
  }
}

std::vector<float> passive_scores(const PassiveScore& model, const PartyData& pp,
                                  ThreadPool& pool) {
  std::vector<float> sums(pp.bins.rows, model.base);
  for (const Tree& tree : model.trees) add_tree(tree, {}, model.rules, {}, pp, pool, sums);
  for (float& sum : sums) sum = score_of(model, sum);
  return sums;
}

PartyData level_feature(const PassiveScore& model, std::span<const float> levels) {
  BinnedMatrix bins{levels.size(), 1, {}};
  for (const float level : levels) bins.bins.push_back(static_cast<uint8_t>(level));
  FeatureCuts between;
  for (size_t k = 0; k < model.cuts.size(); ++k)
    between.cuts.push_back(static_cast<float>(k) + 0.5f);
  return PartyData({kScoreFeature}, {between}, std::move(bins));
}

const PartyData& add_answers(const Model& model, const PartyData& pp, const RandomKey& key,
                             ThreadPool& pool, std::span<float> margins, PartyData& levels) {
  if (!model.pp_score) return pp;
  std::vector<float> answers = passive_scores(*model.pp_score, pp, pool);
  answer(*model.pp_score, key, answers);
  if (!model.pp_score->cuts.empty()) return levels = level_feature(*model.pp_score, answers);
  for (size_t row = 0; row < margins.size(); ++row)
    margins[row] += model.pp_score->weight * answers[row];
  return pp;
}

}  // namespace maskbench
