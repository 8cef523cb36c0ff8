#pragma once

#include <span>
#include <vector>

#include "attacks/nesting.hpp"
#include "attacks/noise_columns.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// Belief propagation between the columns of B, which share bits, and the features, whose bins
// decide all bits of a row.
class Belief {
 public:
  Belief(const NoiseInbox& inbox, std::vector<NestedGroup> groups, size_t rows);

  // A single sweep if no two factors share a bit, else a few.
  void propagate(ThreadPool& pool);

  std::span<const float> log_odds(size_t candidate) const { return odds_[candidate]; }

 private:
  void update_features(ThreadPool& pool);
  void update_columns(ThreadPool& pool, float damping);
  void update_candidate(size_t i, float damping);

  const NoiseInbox& inbox_;
  std::vector<NestedGroup> groups_;
  size_t rows_;
  std::vector<std::vector<float>> evidence_;  // of candidates: sum of what their columns say
  std::vector<std::vector<float>> odds_;      // of candidates: given all
  // said_[candidate]: what each column said last, one after the other.
  std::vector<std::vector<std::vector<float>>> said_;
};

// Each candidate a group of its own.
std::vector<NestedGroup> single_groups(std::span<const uint32_t> active, size_t rows);

}  // namespace maskbench
