#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "kernels/parallel.hpp"

namespace maskbench {

// Finds X, one row in one of K bins each, from fewer equations A X = S than rows. Expectation
// propagation with one variance a bin: the linear side projects onto the equations, the other side
// takes the posterior of "exactly one bin" under the prior; each passes the other only what is new.
// A fact of the attack's is a prior of 0.
class OneHotSolver {
 public:
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Sparse = Eigen::SparseMatrix<float, Eigen::RowMajor>;

  // A: equations x rows.
  OneHotSolver(Sparse A, ThreadPool& pool);

  // S: equations x K; prior: rows x K, each row adds up to 1. The posterior of each row's bin.
  Matrix solve(const Matrix& S, const Matrix& prior) const;

 private:
  Matrix correction(const Matrix& S, const Matrix& X) const;  // A' (A A')^-1 (S - A X)
  void factorise(ThreadPool& pool);
  double share_seen() const;

  Sparse A_, At_;
  Eigen::LLT<Eigen::MatrixXd> gram_;
  double alpha_ = 0;  // independent equations a row
};

}  // namespace maskbench
