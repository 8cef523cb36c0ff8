#include <Eigen/Dense>

#include "attacks/attacks.hpp"
#include "attacks/row_scores.hpp"
#include "attacks/view.hpp"

// PP made B, so <g> = g + B c lies in a known W-dimensional coset: least squares for c, and
// g = <g> - B c. Given B the messages of two different g never coincide: delta = 1 for every eps.
namespace maskbench {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector real(const MaskedVector& values, double step) {
  Vector out(static_cast<Eigen::Index>(values.size()));
  for (size_t j = 0; j < values.size(); ++j)
    out[static_cast<Eigen::Index>(j)] = static_cast<double>(values[j]) * step;
  return out;
}

// W = 1: d = c or d = -c, so one of <g> - <h> and <g> + <h> is free of noise, without using B at
// all. Both g - h = p^2 - y and g + h = 1 - y - (1 - p)^2 have the sign of g.
Vector two_signs(const Vector& g, const Vector& h) {
  const Vector minus = g - h, plus = g + h;
  return minus.squaredNorm() < plus.squaredNorm() ? minus : plus;
}

// The mean of g is known from G, so only its deviation is regressed on B.
Vector project(const Vector& g, const MaskedCandidate& c) {
  const auto n = static_cast<Eigen::Index>(c.node->rows.size());
  const Matrix B =
      Eigen::Map<const Eigen::Matrix<int32_t, Eigen::Dynamic, Eigen::Dynamic>>(c.b.data(), n, c.W)
          .cast<double>();
  double mean = 0;
  if (!c.node->totals.empty())
    mean = std::ldexp(static_cast<double>(c.node->totals[0]), c.level->exponent) /
           static_cast<double>(n);
  const Vector centred = g.array() - mean;
  const Matrix gram = B.transpose() * B;
  const Vector weights = gram.completeOrthogonalDecomposition().solve(B.transpose() * centred);
  return g - B * weights;
}

}  // namespace

AttackResult label_subspace(const AttackInput& input) {
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  RowScores scores(input.rows);
  visit_masked(input, tree_views(input), [&](const MaskedCandidate& c) {
    if (c.node->rows.size() <= static_cast<size_t>(c.W)) return;
    const Vector masked = real(c.g, c.step);
    const Vector g =
        c.W == 1 && !c.h.empty() ? two_signs(masked, real(c.h, c.step)) : project(masked, c);
    for (size_t j = 0; j < c.node->rows.size(); ++j)
      scores.add(c.node->rows[j], -g[static_cast<Eigen::Index>(j)]);
  });
  return scores.guess();
}

}  // namespace maskbench
