#include <algorithm>
#include <cmath>

#include "attacks/attacks.hpp"
#include "attacks/residue.hpp"
#include "attacks/row_scores.hpp"
#include "attacks/view.hpp"

// One <g> = g + c b by itself, read by anybody on the line: neither B nor <h> nor the budget is
// used, only the grid's step, which is public. If the noise's grid is not that of g, the residues
// of <g> modulo |c| are those of g. Rows of one path through the earlier trees (in round 1: all)
// have two values of g, p for label 0 and p - 1 for label 1, so their residues differ by 1 on the
// grid, and the side on which the other one lies is the label. For W > 1 the modulus is the
// greatest common divisor of c_1 ... c_W.
namespace maskbench {

namespace {

constexpr double kTelling = 100;  // evidence, in nats, that chance gives to no message

// 1 in steps of <g>; g is rounded to the level's grid.
Gap gap_of(const MaskedCandidate& c) {
  const double unit = std::ldexp(1.0, c.level->exponent) / c.step;
  return {std::llround(1 / c.step), std::max(1ll, std::llround(unit))};
}

}  // namespace

AttackResult label_residue(const AttackInput& input) {
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  RowScores scores(input.rows);
  double messages = 0, telling = 0;
  visit_masked(input, tree_views(input), [&](const MaskedCandidate& c) {
    const std::vector<int64_t> g = c.g.values();
    const Modulus modulus = find_modulus(g, input.seed);
    const std::vector<double> score = residue_scores(g, gap_of(c), modulus);
    for (size_t j = 0; j < g.size(); ++j) scores.add(c.node->rows[j], modulus.evidence * score[j]);
    ++messages;
    telling += modulus.evidence > kTelling;
  });
  LabelGuess out = scores.guess();
  out.effort = {{"attack_residue_share", telling / messages, ""}};
  return out;
}

}  // namespace maskbench
