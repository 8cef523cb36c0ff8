#include "attacks/one_hot_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/base/random.hpp"

namespace maskbench {

namespace {

constexpr int kSolverSweeps = 30;
constexpr float kNewShare = 0.5f;  // share of the new message
constexpr double kRidge = 1e-7;    // equations may repeat each other
constexpr float kLeast = 1e-8f;    // of a variance
constexpr double kSettled = 1e-4;  // mean change of a probability

using Shares = OneHotSolver::Matrix;
using Row = Eigen::RowVectorXf;

// P(bin | r) when r is the one-hot row plus noise of variance tau2 in each bin.
Shares posterior(const Shares& r, const Row& tau2, const Shares& prior) {
  const Row gain = tau2.cwiseInverse();
  Shares out(r.rows(), r.cols());
  for (Eigen::Index j = 0; j < r.rows(); ++j) {
    Row score = (r.row(j).array() - 0.5f) * gain.array() + prior.row(j).array().max(1e-30f).log();
    score = (score.array() - score.maxCoeff()).exp() * (prior.row(j).array() > 0).cast<float>();
    out.row(j) = score / score.sum();
  }
  return out;
}

Row mean_variance(const Shares& p) {
  return ((p.array() * (1 - p.array())).colwise().mean()).max(kLeast).matrix();
}

}  // namespace

OneHotSolver::OneHotSolver(Sparse A, ThreadPool& pool) : A_(std::move(A)) {
  At_ = A_.transpose();
  factorise(pool);
  alpha_ = share_seen();
}

void OneHotSolver::factorise(ThreadPool& pool) {
  const Eigen::Index equations = A_.rows();
  Eigen::MatrixXd gram(equations, equations);  // its upper half
  pool.run(static_cast<size_t>(equations), [&](size_t e, int) {
    auto column = gram.col(static_cast<Eigen::Index>(e));
    column.setZero();
    for (Sparse::InnerIterator a(A_, static_cast<Eigen::Index>(e)); a; ++a)
      for (Sparse::InnerIterator b(At_, a.col()); b && b.col() <= a.row(); ++b)
        column[b.col()] += double{a.value()} * b.value();
  });
  gram.diagonal().array() += kRidge * gram.diagonal().mean();
  gram_.compute(gram.selfadjointView<Eigen::Upper>());
}

Shares OneHotSolver::correction(const Shares& S, const Shares& X) const {
  const Shares missing = S - A_ * X;
  const Shares weights = gram_.solve(missing.cast<double>()).cast<float>();
  return At_ * weights;
}

// trace(A' (A A')^-1 A) / rows by one random vector of signs.
double OneHotSolver::share_seen() const {
  Draws draws(derive_key(1, "trace"));
  Shares z(A_.cols(), 1);
  for (Eigen::Index j = 0; j < z.rows(); ++j) z(j, 0) = draws.below(2) ? 1.0f : -1.0f;
  const Shares seen = correction(A_ * z, Shares::Zero(A_.cols(), 1));
  const double share = (z.array() * seen.array()).mean();
  return std::clamp(share, 1e-6, 1 - 1e-6);
}

Shares OneHotSolver::solve(const Shares& S, const Shares& prior) const {
  const auto alpha = static_cast<float>(alpha_);
  Shares x = prior, best = prior;  // x: what the bins' side passes on
  Row v = mean_variance(prior);
  double least = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < kSolverSweeps; ++sweep) {
    const Shares r = x + correction(S, x) / alpha;
    const Row tau2 = (v * ((1 - alpha) / alpha)).cwiseMax(kLeast);
    const Shares p = posterior(r, tau2, prior);
    const double residual = (S - A_ * p).squaredNorm();
    const double change = (p - best).cwiseAbs().mean();
    if (residual < least) {
      least = residual;
      best = p;
    }
    if (sweep > 0 && change < kSettled) break;
    const Row own = mean_variance(p).cwiseMin(0.999f * tau2);
    const Row fresh = (own.cwiseInverse() - tau2.cwiseInverse()).cwiseInverse();
    for (Eigen::Index b = 0; b < x.cols(); ++b) {
      const auto extrinsic = fresh[b] * (p.col(b).array() / own[b] - r.col(b).array() / tau2[b]);
      x.col(b) = (kNewShare * extrinsic + (1 - kNewShare) * x.col(b).array()).matrix();
    }
    v = kNewShare * fresh + (1 - kNewShare) * v;
  }
  return best;
}

}  // namespace maskbench
