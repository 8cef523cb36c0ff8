#include "harness/sweep/cost.hpp"

#include <algorithm>
#include <cmath>

#include "harness/judge/catalog.hpp"

namespace maskbench {
namespace {

struct Shape {
  double rows = 50000;  // if nothing is known
  double features = 20;
  double pp_candidates = 0;  // 0: not known
};

Shape shape_of(const DataSpec& data, const DataShape& seen) {
  if (seen.rows > 0)
    return {static_cast<double>(seen.rows), static_cast<double>(seen.features),
            static_cast<double>(seen.pp_candidates)};
  Shape shape;
  if (const auto* known = find_dataset(data.dataset)) {
    shape = {static_cast<double>(known->rows), static_cast<double>(known->features), 0};
  }
  if (data.rows > 0) shape.rows = static_cast<double>(data.rows);
  if (data.features > 0) shape.features = data.features;
  return shape;
}

// Constants as measured on two cores of an AMD EPYC: a clear tree of 6 levels
// costs 3 ns for each row and feature, and a look at its metrics.
double clear_tree(const RunSpec& spec, const Shape& shape) {
  return 3e-9 * shape.rows * shape.features * spec.train.max_depth / 6 + 1.5e-8 * shape.rows;
}

NodeShape root_of(const RunSpec& spec, const Shape& shape) {
  const double features = shape.features * (1 - spec.data.ap_features);
  const double bins = features * spec.train.max_bins;
  const double candidates = shape.pp_candidates > 0 ? shape.pp_candidates : bins - features;
  return {shape.rows, candidates, std::min(bins, candidates + features), features};
}

double tree_seconds(const RunSpec& spec, const Shape& shape) {
  const Method& method = find_method(spec.method);
  const double clear = clear_tree(spec, shape);
  return method.tree_seconds ? method.tree_seconds(spec, root_of(spec, shape), clear) : clear;
}

// Only masked's messages are long to read. What repeats trainings of its own (audits) does so for
// every method; one of paillier makes keys, one of masked works out its budget.
double attack_seconds(const RunSpec& spec, const Shape& shape) {
  const AttackEntry& attack = find_attack(spec.attack.name);
  if (attack.seconds == nullptr) return 0;
  const Method& method = find_method(spec.method);
  const bool is_masked = method.shows(Evidence::masked_vectors);
  if (attack.attack != nullptr && !is_masked) return 0;
  const double seconds = attack.seconds(spec.attack, shape.rows * root_of(spec, shape).candidates);
  if (spec.attack.name != "transcript") return seconds;
  return seconds * (method.os_random ? 100 : is_masked ? 10 : 1);
}

}  // namespace

double estimated_seconds(const RunSpec& spec, const DataShape& seen) {
  const Shape shape = shape_of(spec.data, seen);
  const Method& method = find_method(spec.method);
  const int trees = method.max_trees ? method.max_trees(spec) : spec.train.rounds;
  const double split = 0.015 + 2.5e-8 * shape.rows * shape.features;  // into rows, parties, bins
  return split + trees * tree_seconds(spec, shape) + attack_seconds(spec, shape);
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
