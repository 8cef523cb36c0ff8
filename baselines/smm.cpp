#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "baselines/methods.hpp"
#include "harness/base/error.hpp"
#include "harness/base/random.hpp"

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
  explicit SmmActive(const ActiveContext& c)
      : ActiveSide(c, c.score_params(), c.pool), key_(derive_key(c.key, "smm")) {}

  void start() override {
    candidates_ = static_cast<size_t>(channel_.receive<int64_t>(Kind::totals).at(0));
  }

  // Node by node: sends a basis, reads PP's answers block by block.
  std::vector<Proposal> proposals(const Level& level) override {
    std::vector<Proposal> best(level.nodes.size());
    for (size_t place = 0; place < best.size(); ++place) {
      const LevelNode& node = level.nodes[place];
      channel_.send(Kind::matrices, {level.tree, level.depth, node.node},
                    as_values(basis(level, node)), basis_price());
      for (size_t scored = 0; scored < candidates_;) {
        const std::vector<double> values = channel_.receive<double>(Kind::matrices);
        if (values.empty() || values.size() % static_cast<size_t>(gh_.rows()) != 0)
          throw ProtocolError("PP's vectors are not of the node's length");
        const Matrix sums = gh_.transpose() * as_matrix(values, static_cast<size_t>(gh_.rows()));
        score(sums, scored, best[place]);
        scored += static_cast<size_t>(sums.cols());
      }
    }
    return best;
  }
  Price choice_price() override { return clean_choice_price(); }

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
    const Eigen::Index rank =
        std::max<Eigen::Index>(0, std::min<Eigen::Index>(spec_.smm.rank, n - 2));
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

  static Price basis_price() {
    return Price::exposed(
        "U is orthogonal to g and h: a subspace that holds them is sent, and no "
        "eps belongs to it");
  }

  // The sums are integers but for rounding of order 1e-9: rounded, they are exact.
  void score(const Matrix& sums, size_t first, Proposal& best) const {
    const FixedPoint& grid = clean_->grid;
    const double g = gh_.col(0).sum(), h = gh_.col(1).sum();
    const double parent = leaf_quality(g * grid.step(), h * grid.step(), params_.lambda);
    for (Eigen::Index i = 0; i < sums.cols(); ++i) {
      const double gl = std::nearbyint(sums(0, i)), hl = std::nearbyint(sums(1, i));
      const double step = grid.step();
      if (!eligible(hl * step, (h - hl) * step, params_)) continue;
      const double score =
          split_score(gl * step, hl * step, (g - gl) * step, (h - hl) * step, parent, params_);
      if (score > best.score) best = {score, static_cast<int64_t>(first) + i};
    }
  }

  RandomKey key_;
  size_t candidates_ = 0;
  Matrix gh_;  // of the node under way
};

class SmmPassive : public PassiveSide {
 public:
  explicit SmmPassive(const PassiveContext& c) : PassiveSide(c) {
    if (data_.candidates.empty())
      throw Error("smm: every feature of PP is constant; there is nothing to cut");
  }

  void start() override {
    channel_.send(Kind::totals, {},
                  std::vector<int64_t>{static_cast<int64_t>(data_.candidates.size())},
                  Price::exposed("how many candidates PP has follows PP's data, and is sent in "
                                 "clear"));
  }

  // Answers each node's basis with its candidates, block by block.
  void offer(const Level& level) override {
    for (const LevelNode& node : level.nodes) {
      const size_t rows = node.rows.size();
      basis_ = as_matrix(channel_.receive<double>(Kind::matrices), rows);
      const size_t fit = std::max<size_t>(1, kBlockBytes / (8 * rows));
      for (size_t first = 0; first < data_.candidates.size(); first += fit) {
        const size_t count = std::min(fit, data_.candidates.size() - first);
        const Tag tag{level.tree, level.depth, node.node, static_cast<int>(first)};
        channel_.send(Kind::matrices, tag, as_values(masked(node, first, count)),
                      Price::exposed("V = (I - UU')M hides PP's splitting vectors in a subspace "
                                     "only, and no eps belongs to it"));
      }
    }
  }
  Candidate candidate(size_t, int64_t id) const override {
    return data_.candidates.at(static_cast<size_t>(id));
  }

 private:
  Matrix masked(const LevelNode& node, size_t first, size_t count) {
    const size_t rows = node.rows.size();
    Matrix m(rows, count);
    pool_.run(count, [&](size_t i, int) {
      RowBits bits(bit_words(rows));
      splitting_bits(data_, data_.candidates[first + i], node.rows, bits);
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

  Matrix basis_;
};

double matrix_bytes(const RunSpec& spec, const NodeShape& node) {
  return 8 * node.rows * (spec.smm.rank + node.candidates);
}

// At each level PP projects a splitting vector of every row for each candidate.
double smm_seconds(const RunSpec& spec, const NodeShape& node, double) {
  return 1e-9 * spec.smm.rank * spec.train.max_depth * node.rows * node.candidates;
}

}  // namespace

const Method& smm_method() {
  static const Method method = {
      .id = "smm",
      .what = "FedXGBoost-SMM: exact sums by secure matrix multiplication",
      .active = active_side<SmmActive>,
      .passive = passive_side<SmmPassive>,
      .uses = {"privacy.noise_key", "noise.", "smm."},
      .own_bytes = matrix_bytes,
      .tree_seconds = smm_seconds,
  };
  return method;
}

}  // namespace maskbench
