#include <algorithm>
#include <cmath>

#include "attacks/attacks.hpp"
#include "attacks/row_scores.hpp"
#include "attacks/view.hpp"
#include "kernels/histogram.hpp"

// Averages all copies of a row's gradient that PP was sent, without using B: over candidates, nodes
// and rounds, each copy weighted by the inverse of its message's variance. Label = sign of -g.
namespace maskbench {

namespace {

template <class Value>
double inverse_variance(size_t n, Value value) {
  double sum = 0, squares = 0;
  for (size_t j = 0; j < n; ++j) {
    sum += value(j);
    squares += value(j) * value(j);
  }
  const double mean = sum / static_cast<double>(n);
  return 1 / std::max(squares / static_cast<double>(n) - mean * mean, 1e-12);
}

LabelGuess from_masked(const AttackInput& input) {
  RowScores scores(input.rows);
  visit_masked(input, tree_views(input), [&](const MaskedCandidate& c) {
    const auto value = [&](size_t j) { return static_cast<double>(c.g[j]) * c.step; };
    const double weight = inverse_variance(c.g.size(), value);
    for (size_t j = 0; j < c.g.size(); ++j) scores.add(c.node->rows[j], -weight * value(j));
  });
  return scores.guess();
}

// nonprivate and the LDP methods: g of all rows, once a tree (or a level).
LabelGuess from_gradients(const AttackInput& input) {
  RowScores scores(input.rows);
  double step = 1;
  for (const Message& m : input.messages) {
    if (m.kind == Kind::totals && m.from == Party::ap)
      step = std::ldexp(1.0, static_cast<int>(m.as<int64_t>().front()));
    if (m.kind != Kind::gradients) continue;
    const auto& rows = m.as<GradientPair>();
    const auto value = [&](size_t j) { return rows[j].g * step; };
    const double weight = inverse_variance(rows.size(), value);
    for (uint32_t j = 0; j < rows.size(); ++j) scores.add(j, -weight * value(j));
  }
  return scores.guess();
}

LabelGuess from_labels(const Message& message) {
  LabelGuess out;
  const auto& z = message.as<uint8_t>();
  for (uint32_t j = 0; j < z.size(); ++j) {
    out.rows.push_back(j);
    out.score.push_back(z[j] ? 1.0f : -1.0f);
  }
  return out;
}

}  // namespace

AttackResult label_average(const AttackInput& input) {
  for (const Message& m : input.messages) {
    if (m.kind == Kind::labels) return from_labels(m);
  }
  if (has(input, Kind::gradients)) return from_gradients(input);
  if (!has(input, Kind::noise))
    return Skip{input.spec.method + " sends PP no gradients and no labels"};
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  return from_masked(input);
}

}  // namespace maskbench
