#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "baselines/methods.hpp"
#include "harness/core/random.hpp"

// FedXGBoost-SMM: the sums m'g and m'h by secure matrix multiplication. For a node AP sends an
// orthonormal U with U'[g h] = 0; PP answers with V = (I - U U') M, M its splitting vectors; then
// [g h]' V = [g h]' M exactly, while each side hides in a subspace. Heuristic: no epsilon belongs
// to it.
namespace maskbench {

namespace {

using Matrix = Eigen::MatrixXd;

constexpr size_t kBlockBytes = size_t{64} << 20;  // of V a message

Matrix as_matrix(const std::vector<double>& values, size_t rows) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Eigen::Index>(rows),
                                  static_cast<Eigen::Index>(values.size() / rows));
}

std::vector<double> as_values(const Matrix& m) {
  return {m.data(), m.data() + m.size()};
}

class SmmActive : public ActiveSide {
 public:
  SmmActive(const PartyData& data, const ScoreParams& params, ThreadPool& pool, PhiloxKey key,
            int rank)
      : ActiveSide(data, params, pool), key_(key), rank_(rank) {}

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    if (candidates_ == 0) {
      candidates_ = static_cast<size_t>(wire.receive<int64_t>(Party::ap, Kind::totals).front());
    }
  }

  // Reads PP's answers to the node it is at, then sends the basis of the next node.
  void turn(const Level& level, Wire& wire) override {
    if (level.tree != tree_ || level.depth != depth_) {
      tree_ = level.tree;
      depth_ = level.depth;
      best_.assign(level.nodes.size(), {});
      place_ = asked_ = 0;
    }
    read_answers(wire);
    if (asked_ > place_ || place_ == level.nodes.size()) return;
    const LevelNode& node = level.nodes[place_];
    wire.send(Party::ap, Kind::matrices, {level.tree, level.depth, node.node},
              as_values(basis(level, node)));
    asked_ = place_ + 1;
  }

  std::vector<Proposal> proposals(const Level&, Wire& wire) override {
    read_answers(wire);
    return best_;
  }

 private:
  Matrix gradients_of(const LevelNode& node) const {
    Matrix gh(node.rows.size(), 2);
    for (size_t j = 0; j < node.rows.size(); ++j) {
      const GradientPair& row = clean_->rows[node.rows[j]];
      gh(static_cast<Eigen::Index>(j), 0) = row.g;
      gh(static_cast<Eigen::Index>(j), 1) = row.h;
    }
    return gh;
  }

  // Random vectors made orthogonal to g and h and to each other.
  Matrix basis(const Level& level, const LevelNode& node) {
    gh_ = gradients_of(node);
    const Eigen::Index n = gh_.rows();
    const Eigen::Index rank = std::max<Eigen::Index>(0, std::min<Eigen::Index>(rank_, n - 2));
    Matrix all(n, 2 + rank);
    all.leftCols(2) = gh_;
    Draws draws(key_, static_cast<uint32_t>(level.tree), static_cast<uint32_t>(node.node));
    for (Eigen::Index k = 0; k < rank; ++k) {
      for (Eigen::Index j = 0; j < n; ++j) all(j, 2 + k) = draws.uniform() - 0.5;
    }
    const Matrix q =
        Eigen::HouseholderQR<Matrix>(all).householderQ() * Matrix::Identity(n, 2 + rank);
    return q.rightCols(rank);
  }

  void read_answers(Wire& wire) {
    while (wire.has_message(Party::ap)) {
      Tag tag;
      const std::vector<double> values = wire.receive<double>(Party::ap, Kind::matrices, &tag);
      const Matrix sums = gh_.transpose() * as_matrix(values, static_cast<size_t>(gh_.rows()));
      score(sums, tag.candidate);
      if (static_cast<size_t>(tag.candidate + sums.cols()) == candidates_) ++place_;
    }
  }

  // The sums are integers but for rounding of order 1e-9: rounded, they are exact.
  void score(const Matrix& sums, int first) {
    const FixedPoint& grid = clean_->grid;
    const double g = gh_.col(0).sum(), h = gh_.col(1).sum();
    const double parent = leaf_quality(g * grid.step(), h * grid.step(), params_.lambda);
    for (Eigen::Index i = 0; i < sums.cols(); ++i) {
      const double gl = std::nearbyint(sums(0, i)), hl = std::nearbyint(sums(1, i));
      const double step = grid.step();
      if (!eligible(hl * step, (h - hl) * step, params_)) continue;
      const double score =
          split_score(gl * step, hl * step, (g - gl) * step, (h - hl) * step, parent, params_);
      if (score > best_[place_].score) best_[place_] = {score, first + i};
    }
  }

  PhiloxKey key_;
  int rank_;
  size_t candidates_ = 0;
  int tree_ = -1;
  int depth_ = -1;
  size_t place_ = 0;  // the node whose answers come in
  size_t asked_ = 0;  // nodes whose basis was sent
  Matrix gh_;
  std::vector<Proposal> best_;
};

class SmmPassive : public PassiveSide {
 public:
  SmmPassive(const PartyData& data, ThreadPool& pool)
      : PassiveSide(data, pool), candidates_(candidates_of(data.cuts)) {}

  void start(Wire& wire) override {
    wire.send(Party::pp, Kind::totals, {},
              std::vector<int64_t>{static_cast<int64_t>(candidates_.size())});
  }

  // Answers one block of candidates of one node.
  bool turn(const Level& level, Wire& wire) override {
    const LevelNode& node = level.nodes[place_];
    const size_t rows = node.rows.size();
    if (first_ == 0) basis_ = as_matrix(wire.receive<double>(Party::pp, Kind::matrices), rows);
    const size_t fit = std::max<size_t>(1, kBlockBytes / (8 * rows));
    const size_t count = std::min(fit, candidates_.size() - first_);
    const Tag tag{level.tree, level.depth, node.node, static_cast<int>(first_)};
    wire.send(Party::pp, Kind::matrices, tag, as_values(masked(node, count)));
    first_ += count;
    if (first_ < candidates_.size()) return false;
    first_ = 0;
    if (++place_ < level.nodes.size()) return false;
    place_ = 0;
    return true;
  }

 protected:
  Candidate candidate(size_t, int64_t id) const override {
    return candidates_[static_cast<size_t>(id)];
  }

 private:
  Matrix masked(const LevelNode& node, size_t count) {
    const size_t rows = node.rows.size();
    Matrix m(rows, count);
    pool_.run(count, [&](size_t i, int) {
      RowBits bits(bit_words(rows));
      splitting_bits(data_, candidates_[first_ + i], node.rows, bits);
      for (size_t j = 0; j < rows; ++j) {
        m(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
            static_cast<double>(bits[j / 64] >> (j % 64) & 1);
      }
    });
    pool_.run(count, [&](size_t i, int) {
      auto column = m.col(static_cast<Eigen::Index>(i));
      const Eigen::VectorXd inside = basis_.transpose() * column;
      column.noalias() -= basis_ * inside;
    });
    return m;
  }

  std::vector<Candidate> candidates_;
  size_t place_ = 0;
  size_t first_ = 0;
  Matrix basis_;
};

}  // namespace

Method make_smm(const MethodContext& c) {
  return {std::make_unique<SmmActive>(c.ap, c.score_params(), c.pool,
                                      derive_key(c.noise_key, "smm"), c.spec.smm.rank),
          std::make_unique<SmmPassive>(c.pp, c.pool)};
}

}  // namespace maskbench
