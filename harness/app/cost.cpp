#include "harness/app/cost.hpp"

#include <algorithm>
#include <cmath>

#include "harness/app/catalog.hpp"

namespace maskbench {
namespace {

struct Shape {
  double rows = 50000;  // if nothing is known
  double features = 20;
};

Shape shape_of(const DataSpec& data) {
  Shape shape;
  if (const auto* known = find_dataset(data.dataset)) {
    shape = {static_cast<double>(known->rows), static_cast<double>(known->features)};
  }
  if (data.rows > 0) shape.rows = static_cast<double>(data.rows);
  if (data.features > 0) shape.features = data.features;
  return shape;
}

// A clear tree of 6 levels costs about 7 ns for each row and feature, and a look at its metrics.
double clear_tree(const RunSpec& spec, const Shape& shape) {
  return 7e-9 * shape.rows * shape.features * spec.train.max_depth / 6 + 5e-8 * shape.rows;
}

// Each level draws about 2.5 normals for each row, candidate and column.
double masked_tree(const RunSpec& spec, const Shape& shape) {
  if (spec.mode == "collapsed") return 1.5 * clear_tree(spec, shape);
  const double candidates =
      shape.features * (1 - spec.data.ap_features) * (spec.train.max_bins - 1);
  const double draws = 2.5 * spec.train.max_depth * shape.rows * candidates * spec.privacy.W;
  return draws * (spec.mode == "fused" ? 1.0e-9 : 1.6e-9);
}

// Encryption of each row, an addition for each row, feature and level; 2048-bit costs.
double paillier_tree(const RunSpec& spec, const Shape& shape) {
  const double key = std::pow(spec.paillier.key_bits / 2048.0, 2.5);
  const double additions = spec.train.max_depth * shape.features * (1 - spec.data.ap_features);
  return key * shape.rows * (1e-4 + 3e-6 * additions);
}

double tree_seconds(const RunSpec& spec, const Shape& shape) {
  if (spec.method == "masked") return masked_tree(spec, shape);
  if (spec.method == "paillier") return paillier_tree(spec, shape);
  if (spec.method == "smm") return 30 * clear_tree(spec, shape);
  return 1.5 * clear_tree(spec, shape);
}

double attack_seconds(const RunSpec& spec) {
  if (spec.attack.name == "none") return 0;
  return spec.attack.name.starts_with("label-nn") ? 20 : 5;
}

}  // namespace

double estimated_seconds(const RunSpec& spec) {
  const Shape shape = shape_of(spec.data);
  int trees = spec.train.rounds;
  if (spec.method == "paillier" && spec.paillier.max_trees > 0) {
    trees = std::min(trees, spec.paillier.max_trees);
  }
  const double load = 1e-7 * shape.rows * shape.features;
  return load + trees * tree_seconds(spec, shape) + attack_seconds(spec);
}

void CostLog::learn(const PlanEntry& entry, double seconds) {
  for (Sum* sum : {&by_kind_[entry.kind], &all_}) {
    sum->seconds += seconds;
    sum->cost += entry.cost;
  }
}

double CostLog::predict(const PlanEntry& entry) const {
  const auto kind = by_kind_.find(entry.kind);
  const Sum& sum = kind == by_kind_.end() ? all_ : kind->second;
  return sum.cost > 0 ? entry.cost * sum.seconds / sum.cost : entry.cost;
}

}  // namespace maskbench
