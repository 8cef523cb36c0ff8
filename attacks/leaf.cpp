#include <algorithm>
#include <cmath>

#include "attacks/attacks.hpp"
#include "attacks/row_scores.hpp"
#include "attacks/structure.hpp"
#include "attacks/view.hpp"

// What the row sets and the nodes' G, H alone tell: PP rebuilds the model's margins of the training
// rows, -G/(H + lambda) of the deepest node with known totals in every recorded tree. Where the
// protocol tells no G and H, the row sets alone (structure.hpp).
namespace maskbench {

namespace {

// All rows start with the margin ln(p/(1-p)), and H of the first root is n p (1 - p). Of the two
// solutions PP takes the one that gives every node a possible number n p - G of positives; if both
// do, positives are taken to be the minority.
double prior_of(const TreeView& first) {
  const LevelView& root = first.levels[0];
  const double step = std::ldexp(1.0, root.exponent);
  const double n = static_cast<double>(root.nodes[0].rows.size());
  const double variance = static_cast<double>(root.nodes[0].totals[1]) * step / n;
  const double minority = (1 - std::sqrt(std::max(0.0, 1 - 4 * variance))) / 2;
  const auto impossible = [&](double p) {
    double sum = 0;
    for (const LevelView& level : first.levels) {
      for (const NodeView& node : level.nodes) {
        if (node.totals.empty()) continue;
        const double rows = static_cast<double>(node.rows.size());
        const double positives =
            rows * p - std::ldexp(static_cast<double>(node.totals[0]), level.exponent);
        sum += std::max({0.0, -positives, positives - rows});
      }
    }
    return sum;
  };
  return impossible(1 - minority) < impossible(minority) ? 1 - minority : minority;
}

LabelGuess guess_of(const std::vector<double>& score) {
  RowScores scores(score.size());
  for (uint32_t row = 0; row < score.size(); ++row) scores.add(row, score[row]);
  return scores.guess();
}

}  // namespace

AttackResult leaf(const AttackInput& input) {
  const std::vector<TreeView> trees = tree_views(input);
  if (trees.empty() || trees[0].levels[0].nodes[0].totals.empty()) {
    std::vector<double> scores = structure_scores(trees, input.rows);
    if (scores.empty()) return Skip{input.spec.method + " tells PP no G, H and row sets of nodes"};
    return guess_of(scores);
  }
  double base = 0;
  if (input.spec.train.base_score == BaseScore::prior && !input.spec.train.gbdt) {
    const double p = std::clamp(prior_of(trees[0]), 1e-6, 1 - 1e-6);
    base = std::log(p / (1 - p));
  }
  std::vector<double> margin(input.rows, base), step(input.rows);
  for (const TreeView& tree : trees) {
    for (const LevelView& level : tree.levels) {
      for (const NodeView& node : level.nodes) {
        if (node.totals.empty()) continue;
        const double g = std::ldexp(static_cast<double>(node.totals[0]), level.exponent);
        const double h = std::ldexp(static_cast<double>(node.totals[1]), level.exponent);
        const double weight = -g / (h + input.spec.train.lambda);
        for (uint32_t row : node.rows) step[row] = weight;
      }
    }
    // Rows see the full Newton step in the last tree: that is the best estimate of their label.
    const bool last = &tree == &trees.back();
    const double rate = last ? 1.0 : input.spec.train.learning_rate;
    for (size_t row = 0; row < margin.size(); ++row) margin[row] += rate * step[row];
  }
  return guess_of(margin);
}

}  // namespace maskbench
