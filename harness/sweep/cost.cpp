#include "harness/sweep/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/base/error.hpp"
#include "harness/judge/catalog.hpp"

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

// Constants as measured on two cores of an AMD EPYC (docs/reproduce.md): a clear tree of 6 levels
// costs 3 ns for each row and feature, and a look at its metrics.
double clear_tree(const RunSpec& spec, const Shape& shape) {
  return 3e-9 * shape.rows * shape.features * spec.train.max_depth / 6 + 1.5e-8 * shape.rows;
}

NodeShape root_of(const RunSpec& spec, const Shape& shape) {
  const double features = shape.features * (1 - spec.data.ap_features);
  return {shape.rows, features * (spec.train.max_bins - 1), features * spec.train.max_bins,
          features};
}

// Why the run cannot meet its budget; empty: it can.
std::string unmet_budget(const RunSpec& spec) {
  const Method& method = find_method(spec.method);
  if (!method.check_budget) return "";
  try {
    method.check_budget(spec, root_of(spec, shape_of(spec.data)));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

double tree_seconds(const RunSpec& spec, const Shape& shape) {
  const Method& method = find_method(spec.method);
  const double clear = clear_tree(spec, shape);
  return method.tree_seconds ? method.tree_seconds(spec, root_of(spec, shape), clear) : clear;
}

// Only masked's messages are long to read.
double attack_seconds(const RunSpec& spec, const Shape& shape) {
  const AttackEntry& attack = find_attack(spec.attack.name);
  const bool is_masked = find_method(spec.method).shows(Evidence::masked_vectors);
  if (!is_masked || attack.seconds == nullptr) return 0;
  return attack.seconds(spec.attack, shape.rows * root_of(spec, shape).candidates);
}

}  // namespace

double estimated_seconds(const RunSpec& spec) {
  const Shape shape = shape_of(spec.data);
  const Method& method = find_method(spec.method);
  const int trees = method.max_trees ? method.max_trees(spec) : spec.train.rounds;
  const double split = 0.015 + 2.5e-8 * shape.rows * shape.features;  // into rows, parties, bins
  return split + trees * tree_seconds(spec, shape) + attack_seconds(spec, shape);
}

std::string check_budgets(const Plan& plan) {
  std::map<std::string, std::string> reasons;  // by config and group: repeats have one budget
  std::map<std::string, size_t> unmet;         // runs by reason
  size_t runs = 0;
  for (const Job& job : plan.jobs) {
    const auto [found, is_new] = reasons.try_emplace(job.spec.name + "\n" + job.group);
    if (is_new) found->second = unmet_budget(job.spec);
    if (!found->second.empty()) ++unmet[found->second], ++runs;
  }
  if (unmet.empty()) return "";
  const std::string& first = unmet.begin()->first;
  if (runs == plan.jobs.size()) throw Error("no run can meet its budget: " + first);
  return fmt::format(
      "{} of {} runs cannot meet their budget and will fail: {}{}", runs, plan.jobs.size(), first,
      unmet.size() == 1 ? "" : fmt::format(" (and {} other reasons)", unmet.size() - 1));
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
