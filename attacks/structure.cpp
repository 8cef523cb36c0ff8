#include "attacks/structure.hpp"

#include <algorithm>
#include <cmath>

namespace maskbench {

namespace {

constexpr int kIterations = 20;

// Each row's deepest node in each tree.
std::vector<std::vector<int>> leaves_of(const std::vector<TreeView>& trees, size_t rows) {
  std::vector<std::vector<int>> out;
  for (const TreeView& tree : trees) {
    std::vector<int>& leaf = out.emplace_back(rows, 0);
    for (const LevelView& level : tree.levels)
      for (const NodeView& node : level.nodes)
        for (uint32_t row : node.rows) leaf[row] = node.node;
  }
  return out;
}

void centre(std::vector<double>& v) {
  double sum = 0, squares = 0;
  for (double x : v) sum += x;
  const double mean = sum / static_cast<double>(v.size());
  for (double& x : v) {
    x -= mean;
    squares += x * x;
  }
  const double length = std::sqrt(std::max(squares, 1e-300));
  for (double& x : v) x /= length;
}

// Adds to `out` the mean of v over each row's leaf.
void add_leaf_means(const std::vector<int>& leaf, const std::vector<double>& v,
                    std::vector<double>& out) {
  const auto nodes = static_cast<size_t>(*std::max_element(leaf.begin(), leaf.end())) + 1;
  std::vector<double> sum(nodes, 0.0), count(nodes, 0.0);
  for (size_t j = 0; j < v.size(); ++j) {
    sum[static_cast<size_t>(leaf[j])] += v[j];
    ++count[static_cast<size_t>(leaf[j])];
  }
  for (size_t j = 0; j < v.size(); ++j) {
    const auto node = static_cast<size_t>(leaf[j]);
    out[j] += sum[node] / count[node];
  }
}

}  // namespace

std::vector<double> structure_scores(const std::vector<TreeView>& trees, size_t rows) {
  if (trees.empty() || trees[0].levels.size() < 2) return {};
  std::vector<double> v(rows, 0.0);
  const auto& sides = trees[0].levels[1].nodes;
  const NodeView* smaller =
      sides[0].rows.size() < sides[1].rows.size() ? sides.data() : sides.data() + 1;
  for (uint32_t row : smaller->rows) v[row] = 1;
  centre(v);
  const std::vector<std::vector<int>> leaves = leaves_of(trees, rows);
  for (int k = 0; k < kIterations; ++k) {
    std::vector<double> next(rows, 0.0);
    for (const std::vector<int>& leaf : leaves) add_leaf_means(leaf, v, next);
    centre(next);
    v = std::move(next);
  }
  double on_smaller_side = 0;
  for (uint32_t row : smaller->rows) on_smaller_side += v[row];
  if (on_smaller_side < 0)
    for (double& x : v) x = -x;
  return v;
}

}  // namespace maskbench
