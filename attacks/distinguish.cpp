#include "attacks/distinguish.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "attacks/residue.hpp"
#include "attacks/view.hpp"
#include "kernels/histogram.hpp"

namespace maskbench {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Covariance of a column of B over the rows of the root, sigma2 = 1.
MatrixXd covariance(const std::vector<uint8_t>& m, double R) {
  const auto n = static_cast<Eigen::Index>(m.size());
  MatrixXd out = (2 * R + 1) * MatrixXd::Identity(n, n);
  std::vector<Eigen::Index> active;
  for (Eigen::Index j = 0; j < n; ++j)
    if (m[static_cast<size_t>(j)]) active.push_back(j);
  for (size_t t = 0; t < active.size(); ++t) {
    const Eigen::Index a = active[t], b = active[(t + 1) % active.size()];
    out(a, b) -= R;
    out(b, a) -= R;
  }
  return out;
}

template <class Visit>
void visit_roots(const AttackInput& input, Visit visit) {
  visit_masked(input, tree_views(input), [&](const MaskedCandidate& c) {
    if (c.tree == 0 && c.node->node == 0) visit(c);
  });
}

// <g> less the g that all other rows are known to have.
VectorXd without_known(const MaskedCandidate& c, const AuditedRow& row) {
  VectorXd x(static_cast<Eigen::Index>(c.g.size()));
  for (size_t j = 0; j < c.g.size(); ++j)
    x[static_cast<Eigen::Index>(j)] = static_cast<double>(c.g[j]) * c.step - row.g[j];
  return x;
}

// One <g> by itself: Gaussian of a known covariance, so the best test is linear.
Samples masked_gradient(const AttackInput& input, const AuditedRow& row) {
  const MatrixXd precision = covariance(row.m, row.R).inverse();
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) {
    out.push_back(-precision.col(0).dot(without_known(c, row)));
  });
  return out;
}

// One <g> by itself: what of it is free of noise, if the noise has a grid of its own.
Samples masked_residue(const AttackInput& input, const AuditedRow& row) {
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) {
    std::vector<int64_t> known;
    for (const double g : row.g) known.push_back(std::llround(g / c.step));
    out.push_back(residue_of_first(c.g.values(), known, std::llround((row.g[0] - 1) / c.step)));
  });
  return out;
}

// <g> and <h> of a candidate at W = 1: one of their sum and difference has no noise; row 1 tells
// which.
Samples masked_pair(const AttackInput& input, const AuditedRow& row) {
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) {
    if (c.h.empty()) return;
    const auto rest = [&](size_t j, double sign) {
      return (static_cast<double>(c.g[j]) - sign * static_cast<double>(c.h[j])) * c.step -
             (row.g[j] - sign * row.h);
    };
    const double sign = std::abs(rest(1, 1)) < std::abs(rest(1, -1)) ? 1 : -1;
    out.push_back(-rest(0, sign));
  });
  return out;
}

// PP itself: it knows B, so the other rows give c.
Samples masked_receiver(const AttackInput& input, const AuditedRow& row) {
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) {
    const auto n = static_cast<Eigen::Index>(c.g.size());
    MatrixXd B(n, c.W);
    for (Eigen::Index k = 0; k < c.W; ++k)
      for (Eigen::Index j = 0; j < n; ++j) B(j, k) = c.b[static_cast<size_t>(k * n + j)];
    const VectorXd x = without_known(c, row);
    const VectorXd coefficients = B.bottomRows(n - 1).colPivHouseholderQr().solve(x.tail(n - 1));
    out.push_back(-(x[0] - B.row(0).dot(coefficients)));
  });
  return out;
}

// One B by itself: the log likelihood ratio of two Gaussians.
Samples masked_noise(const AttackInput& input, const AuditedRow& row) {
  std::vector<uint8_t> other = row.m;
  other[0] = 0;
  const MatrixXd difference =
      covariance(other, row.R).inverse() - covariance(row.m, row.R).inverse();
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) {
    const auto n = static_cast<Eigen::Index>(row.m.size());
    double sum = 0;
    for (Eigen::Index k = 0; k < c.W; ++k) {
      VectorXd b(n);
      for (Eigen::Index j = 0; j < n; ++j) b[j] = c.b[static_cast<size_t>(k * n + j)];
      sum += b.dot(difference * b);
    }
    out.push_back(sum);
  });
  return out;
}

// n_A comes along with B, in clear.
Samples masked_count(const AttackInput& input, const AuditedRow&) {
  Samples out;
  visit_roots(input, [&](const MaskedCandidate& c) { out.push_back(c.header.active); });
  return out;
}

// g of row 0 in the first tree's message ...
Samples first_gradient(const AttackInput& input, const AuditedRow&) {
  for (const Message& m : input.messages)
    if (m.kind == Kind::gradients) return {-double(m.as<GradientPair>()[0].g)};
  return {};
}

// ... and in those of all trees together, each on its own grid.
Samples all_gradients(const AttackInput& input, const AuditedRow&) {
  double sum = 0, step = 1;
  for (const Message& m : input.messages) {
    if (m.kind == Kind::totals && m.from == Party::ap)
      step = std::ldexp(1.0, static_cast<int>(m.as<int64_t>().front()));
    if (m.kind == Kind::gradients) sum -= m.as<GradientPair>()[0].g * step;
  }
  return {sum};
}

Samples released_label(const AttackInput& input, const AuditedRow&) {
  for (const Message& m : input.messages)
    if (m.kind == Kind::labels) return {double(m.as<uint8_t>()[0])};
  return {};
}

// Row 0 has the bucket 0 of PP's first feature if it is active.
Samples released_buckets(const AttackInput& input, const AuditedRow&) {
  for (const Message& m : input.messages) {
    if (m.kind != Kind::buckets) continue;
    const auto& buckets = m.as<uint8_t>();
    return {double(buckets[0] == 0)};
  }
  return {};
}

}  // namespace

std::vector<Distinguisher> distinguishers(const std::vector<Evidence>& evidence,
                                          const RunSpec& spec) {
  using enum Party;
  using enum privacy::View;
  std::vector<Distinguisher> out;
  for (const Evidence kind : evidence) {
    switch (kind) {
      case Evidence::masked_vectors:
        out.push_back({ap, stated, "one <g>", masked_gradient});
        out.push_back({ap, stated, "residues of one <g>", masked_residue});
        out.push_back({ap, receiver, "one <g>, knowing B", masked_receiver});
        out.push_back({pp, stated, "one B", masked_noise});
        out.push_back({pp, wire, "n_A, sent beside B", masked_count});
        if (spec.privacy.W == 1 && !spec.train.gbdt)
          out.push_back({ap, privacy::View::pair, "<g> and <h> of one candidate", masked_pair});
        break;
      case Evidence::gradients:
        out.push_back({ap, stated, "g of the first tree", first_gradient});
        out.push_back({ap, wire, "g of all trees", all_gradients});
        break;
      case Evidence::labels:
        out.push_back({ap, stated, "the released label", released_label});
        break;
      case Evidence::buckets:
        out.push_back({pp, stated, "the released buckets", released_buckets});
        break;
    }
  }
  return out;
}

}  // namespace maskbench
