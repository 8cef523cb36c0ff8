#pragma once

#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/trees/tree.hpp"
#include "kernels/parallel.hpp"
#include "kernels/random/random_key.hpp"

// What PP says of a row when a model with a part of its own is used.
namespace maskbench {

// The feature of PP that its levels are; the model's trees ask for it by this name.
inline constexpr const char* kScoreFeature = "PP's score";

// Log odds of the ensemble's share of positives above those of its base; shares are clipped to
// [.005, .995].
float score_of(const PassiveScore& model, float sum);

// A score's place between the cuts.
uint8_t level_of(const PassiveScore& model, float score);

// PP's answers from its scores, in place. In clear, or with noise of the key: a score clipped to
// the bound with Laplace noise, a level by randomised response.
void answer(const PassiveScore& model, const RandomKey& key, std::span<float> scores);

// Scores of rows given by PP's bins.
std::vector<float> passive_scores(const PassiveScore& model, const PartyData& pp, ThreadPool& pool);

// The levels as PP's one feature that the model's trees know.
PartyData level_feature(const PassiveScore& model, std::span<const float> levels);

// PP's part of a prediction: its answers are added to the margins, or become the feature that is
// returned in place of PP's own. A model without such a part: PP's features as they are.
const PartyData& add_answers(const Model& model, const PartyData& pp, const RandomKey& key,
                             ThreadPool& pool, std::span<float> margins, PartyData& levels);

}  // namespace maskbench
