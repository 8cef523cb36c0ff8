#include <algorithm>
#include <cmath>
#include <map>

#include "attacks/attacks.hpp"
#include "attacks/one_hot_solver.hpp"
#include "attacks/view.hpp"
#include "harness/data/party.hpp"
#include "kernels/histogram.hpp"

// AP on paillier. It knows every row's g and h, and decrypts their exact sums over each bin of each
// node: linear equations on which row lies in which bin, new ones in every tree because g changes.
// Two kinds of facts are exact: a node's rows avoid every bin whose sum of h is 0, and rows that a
// split of PP's sends left lie in the bins left of it. OneHotSolver does the rest.
namespace maskbench {

namespace {

using Shares = OneHotSolver::Matrix;

struct Sums {
  const NodeView* node = nullptr;
  const std::vector<GradientPair>* gradients = nullptr;
  const std::vector<GradientSum>* bins = nullptr;
};

const NodeView* find_node(const std::vector<TreeView>& trees, const Tag& tag) {
  for (const TreeView& tree : trees) {
    if (tree.tree != tag.tree || static_cast<size_t>(tag.depth) >= tree.levels.size()) continue;
    for (const NodeView& node : tree.levels[static_cast<size_t>(tag.depth)].nodes)
      if (node.node == tag.node) return &node;
  }
  return nullptr;
}

std::vector<Sums> decrypted(const AttackInput& input, const std::vector<TreeView>& trees) {
  std::map<int, const std::vector<GradientPair>*> gradients;
  for (const Notebook::Entry& note : input.notes)
    if (note.topic == Notebook::Topic::gradients)
      gradients[note.tag.tree] = &note.as<GradientPair>();
  std::vector<Sums> out;
  for (const Notebook::Entry& note : input.notes) {
    if (note.topic != Notebook::Topic::sums) continue;
    const NodeView* node = find_node(trees, note.tag);
    if (node != nullptr)
      out.push_back({node, gradients.at(note.tag.tree), &note.as<GradientSum>()});
  }
  return out;
}

// Two equations a node, of g and of h, each scaled to length 1.
struct Equations {
  OneHotSolver::Sparse A;
  std::vector<float> scale;
};

Equations equations_of(const std::vector<Sums>& sums, size_t rows) {
  std::vector<Eigen::Triplet<float>> entries;
  Equations out;
  for (size_t e = 0; e < 2 * sums.size(); ++e) {
    const Sums& s = sums[e / 2];
    const auto value = [&](uint32_t row) {
      const GradientPair& pair = (*s.gradients)[row];
      return static_cast<double>(e % 2 == 0 ? pair.g : pair.h);
    };
    double squares = 0;
    for (uint32_t row : s.node->rows) squares += value(row) * value(row);
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    out.scale.push_back(static_cast<float>(scale));
    for (uint32_t row : s.node->rows)
      entries.emplace_back(static_cast<int>(e), static_cast<int>(row),
                           static_cast<float>(value(row) * scale));
  }
  out.A.resize(static_cast<Eigen::Index>(out.scale.size()), static_cast<Eigen::Index>(rows));
  out.A.setFromTriplets(entries.begin(), entries.end());
  return out;
}

// One feature of PP: its columns of the histograms.
struct Feature {
  uint16_t number = 0;
  FeatureCuts cuts;
  size_t first_bin = 0;
  Eigen::Index bins() const { return cuts.bins(); }
};

std::vector<Feature> features_of(const AttackInput& input) {
  std::vector<Feature> out;
  for (const Message& m : input.messages) {
    if (m.kind != Kind::totals || m.from != Party::pp || m.tag.tree >= 0) continue;
    size_t first = 0;
    for (const BinsHeader& h : m.as<BinsHeader>()) {
      out.push_back(
          {static_cast<uint16_t>(out.size()),
           {std::vector<float>(static_cast<size_t>(h.value_bins - 1)), h.has_missing != 0},
           first});
      first += static_cast<size_t>(out.back().bins());
    }
  }
  return out;
}

Shares right_side(const Equations& equations, const std::vector<Sums>& sums, const Feature& f) {
  Shares S(equations.A.rows(), f.bins());
  for (Eigen::Index e = 0; e < S.rows(); ++e) {
    for (Eigen::Index b = 0; b < S.cols(); ++b) {
      const GradientSum& sum =
          (*sums[static_cast<size_t>(e) / 2].bins)[f.first_bin + static_cast<size_t>(b)];
      S(e, b) = static_cast<float>(static_cast<double>(e % 2 == 0 ? sum.g : sum.h) *
                                   equations.scale[static_cast<size_t>(e)]);
    }
  }
  return S;
}

// Shares of the first root's h: at the start it is the same for all rows, so these are counts.
Shares prior_of(const std::vector<Sums>& sums, const Feature& f, size_t rows) {
  Eigen::RowVectorXf share(f.bins());
  for (Eigen::Index b = 0; b < f.bins(); ++b)
    share[b] = static_cast<float>((*sums[0].bins)[f.first_bin + static_cast<size_t>(b)].h);
  share /= share.sum();
  return share.replicate(static_cast<Eigen::Index>(rows), 1);
}

void rule_out_empty_bins(const std::vector<Sums>& sums, const Feature& f, Shares& prior) {
  for (const Sums& s : sums) {
    for (Eigen::Index b = 0; b < f.bins(); ++b) {
      if ((*s.bins)[f.first_bin + static_cast<size_t>(b)].h != 0) continue;
      for (uint32_t row : s.node->rows) prior(row, b) = 0;
    }
  }
}

// A split of PP's that was taken: AP chose it and got the rows that go left.
struct TakenSplit {
  Candidate candidate;
  const NodeView* left = nullptr;
  const NodeView* right = nullptr;
};

std::vector<TakenSplit> taken_splits(const AttackInput& input, const std::vector<TreeView>& trees) {
  std::vector<TakenSplit> out;
  for (const Message& m : input.messages) {
    if (m.kind != Kind::decisions) continue;
    const auto tree = std::find_if(trees.begin(), trees.end(),
                                   [&](const TreeView& t) { return t.tree == m.tag.tree; });
    const size_t below = static_cast<size_t>(m.tag.depth) + 1;
    if (tree == trees.end() || below >= tree->levels.size()) continue;
    size_t child = 0;
    for (const Decision& d : m.as<Decision>()) {
      if (d.verdict == Decision::Verdict::leaf) continue;
      const std::vector<NodeView>& nodes = tree->levels[below].nodes;
      if (d.verdict == Decision::Verdict::pp)
        out.push_back({decode(d.id), &nodes[child], &nodes[child + 1]});
      child += 2;
    }
  }
  return out;
}

void use_taken_splits(const std::vector<TakenSplit>& splits, const Feature& f, Shares& prior) {
  for (const TakenSplit& split : splits) {
    if (split.candidate.feature != f.number) continue;
    for (Eigen::Index b = 0; b < f.bins(); ++b) {
      const bool left = goes_left(split.candidate, f.cuts.missing_bin(), static_cast<uint8_t>(b));
      for (uint32_t row : (left ? split.right : split.left)->rows) prior(row, b) = 0;
    }
  }
}

void add_guesses(const Feature& f, const Shares& posterior, const std::vector<uint32_t>& rows,
                 BitsGuesses& out) {
  for (const Candidate& candidate : candidates_of({f.cuts})) {
    BitsGuess guess{static_cast<int64_t>(out.size()), 0, rows, {}};
    for (Eigen::Index j = 0; j < posterior.rows(); ++j) {
      float p = 0;
      for (Eigen::Index b = 0; b < f.bins(); ++b)
        if (goes_left(candidate, f.cuts.missing_bin(), static_cast<uint8_t>(b)))
          p += posterior(j, b);
      guess.probability.push_back(p);
      guess.prior += p / static_cast<double>(rows.size());
    }
    out.push_back(std::move(guess));
  }
}

}  // namespace

AttackResult attribute_sums(const AttackInput& input) {
  const std::vector<TreeView> trees = tree_views(input);
  const std::vector<Sums> sums = decrypted(input, trees);
  if (sums.empty()) return Skip{input.spec.method + " lets AP decrypt no sums of PP's bins"};
  const Equations equations = equations_of(sums, input.rows);
  const OneHotSolver solver(equations.A, input.pool);
  const std::vector<Feature> features = features_of(input);
  const std::vector<TakenSplit> splits = taken_splits(input, trees);
  std::vector<Shares> posteriors(features.size());
  input.pool.run(features.size(), [&](size_t k, int) {
    Shares prior = prior_of(sums, features[k], input.rows);
    rule_out_empty_bins(sums, features[k], prior);
    use_taken_splits(splits, features[k], prior);
    prior.array().colwise() /= prior.rowwise().sum().array().eval();
    posteriors[k] = solver.solve(right_side(equations, sums, features[k]), prior);
  });
  BitsGuesses out;
  for (size_t k = 0; k < features.size(); ++k)
    add_guesses(features[k], posteriors[k], trees[0].levels[0].nodes[0].rows, out);
  return out;
}

}  // namespace maskbench
