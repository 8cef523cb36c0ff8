#include "attacks/one_hot_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/base/random.hpp"

namespace maskbench {

namespace {

constexpr int kSweeps = 30;
constexpr float kDamping = 0.5f;   // share of the new message
constexpr double kRidge = 1e-7;    // equations may repeat each other
constexpr float kLeast = 1e-8f;    // of a variance
constexpr double kSettled = 1e-4;  // mean change of a probability

using Matrix = OneHotSolver::Matrix;
using Row = Eigen::RowVectorXf;

// P(bin | r) when r is the one-hot row plus noise of variance tau2 in each bin.
Matrix posterior(const Matrix& r, const Row& tau2, const Matrix& prior) {
  const Row gain = tau2.cwiseInverse();
  Matrix out(r.rows(), r.cols());
  for (Eigen::Index j = 0; j < r.rows(); ++j) {
    Row score = (r.row(j).array() - 0.5f) * gain.array() + prior.row(j).array().max(1e-30f).log();
    score = (score.array() - score.maxCoeff()).exp() * (prior.row(j).array() > 0).cast<float>();
    out.row(j) = score / score.sum();
  }
  return out;
}

Row mean_variance(const Matrix& p) {
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

Matrix OneHotSolver::correction(const Matrix& S, const Matrix& X) const {
  const Matrix missing = S - A_ * X;
  const Matrix weights = gram_.solve(missing.cast<double>()).cast<float>();
  return At_ * weights;
}

// trace(A' (A A')^-1 A) / rows by one random vector of signs.
double OneHotSolver::share_seen() const {
  Draws draws(derive_key(1, "trace"));
  Matrix z(A_.cols(), 1);
  for (Eigen::Index j = 0; j < z.rows(); ++j) z(j, 0) = draws.below(2) ? 1.0f : -1.0f;
  const Matrix seen = correction(A_ * z, Matrix::Zero(A_.cols(), 1));
  const double share = (z.array() * seen.array()).mean();
  return std::clamp(share, 1e-6, 1 - 1e-6);
}

Matrix OneHotSolver::solve(const Matrix& S, const Matrix& prior) const {
  const auto alpha = static_cast<float>(alpha_);
  Matrix x = prior, best = prior;  // x: what the bins' side passes on
  Row v = mean_variance(prior);
  double least = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const Matrix r = x + correction(S, x) / alpha;
    const Row tau2 = (v * ((1 - alpha) / alpha)).cwiseMax(kLeast);
    const Matrix p = posterior(r, tau2, prior);
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
      x.col(b) = (kDamping * extrinsic + (1 - kDamping) * x.col(b).array()).matrix();
    }
    v = kDamping * fresh + (1 - kDamping) * v;
  }
  return best;
}

}  // namespace maskbench
