#include <algorithm>
#include <cmath>
#include <numeric>

#include "attacks/attacks.hpp"
#include "attacks/min_sum.hpp"
#include "attacks/noise_columns.hpp"

// The paper's: AP knows n_A and takes the n_A rows whose b have the smallest absolute sum.
namespace maskbench {

AttackResult attribute_minsum(const AttackInput& input) {
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  const NoiseInbox inbox = noise_inbox(input, true);
  BitsGuesses out(inbox.candidates.size());
  input.pool.run(out.size(), [&](size_t i, int) {
    const NoiseOfCandidate& candidate = inbox.candidates[i];
    std::vector<std::span<const float>> columns;
    for (const NoiseMessage& m : candidate.messages)
      columns.insert(columns.end(), m.columns.begin(), m.columns.end());
    BitsGuess& guess = out[i];
    guess.candidate = candidate.id;
    guess.prior = 0.5;
    guess.rows = *candidate.messages[0].rows;
    guess.probability.assign(guess.rows.size(), 0.0f);
    for (uint32_t j : min_sum_rows(columns, candidate.active, input.seed + i))
      guess.probability[j] = 1.0f;
  });
  return out;
}

}  // namespace maskbench
