#include <algorithm>

#include "attacks/attacks.hpp"
#include "attacks/belief.hpp"
#include "attacks/chain_posterior.hpp"
#include "attacks/noise_columns.hpp"
#include "attacks/noisy_features.hpp"
#include "kernels/math.hpp"

// AP on PP's splitting vectors by the likelihood of what PP sent. masked: every column of B is a
// hidden Markov model of the bits (ChainPosterior); columns, repeats over nodes and rounds, and the
// nested candidates of a feature exchange beliefs (Belief). One column of one candidate alone gives
// the exact posterior (see ChainPosterior); together they are loopy belief propagation: sound, not
// exact. n_A enters as the prior n_A/n of each bit.
namespace maskbench {

namespace {

BitsGuesses from_noise(const AttackInput& input) {
  const NoiseInbox inbox = noise_inbox(input, input.spec.masked.orient == Orient::smaller);
  std::vector<uint32_t> active;
  for (const NoiseOfCandidate& c : inbox.candidates) active.push_back(c.active);
  const bool is_nested = input.spec.masked.orient != Orient::smaller;
  Belief belief(inbox,
                is_nested ? nested_groups(active, input.rows) : single_groups(active, input.rows),
                input.rows);
  belief.propagate(input.pool);
  BitsGuesses out(inbox.candidates.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].candidate = inbox.candidates[i].id;
    out[i].prior = static_cast<double>(active[i]) / static_cast<double>(input.rows);
    out[i].rows = inbox.trees[0].levels[0].nodes[0].rows;
    for (float odds : belief.log_odds(i)) out[i].probability.push_back(sigmoid_f32(odds));
  }
  return out;
}

}  // namespace

AttackResult attribute_likelihood(const AttackInput& input) {
  if (has(input, Kind::buckets) && input.spec.late_fusion.stack_eps > 0)
    return Skip{"PP sends levels of a score that its model gives, not of a feature"};
  if (has(input, Kind::buckets)) return from_buckets(input);
  if (has(input, Kind::matrices)) return from_projections(input);
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  return from_noise(input);
}

}  // namespace maskbench
