#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/core/protocol.hpp"
#include "harness/core/tree.hpp"

namespace maskbench {

struct TrainHooks {
  // After each tree, outside the timed part.
  std::function<void(int round, const Tree& tree, double seconds)> on_tree;
  // Asked before each tree; true ends the training early.
  std::function<bool()> stop;
};

struct TrainResult {
  Model model;
  std::vector<float> margins;   // of the training rows at the end
  std::vector<double> seconds;  // of each tree
  bool stopped = false;
};

// The margins before the first tree: `prior` = log odds of the labels (their mean for regression),
// `0.5` = 0, `random` = uniform in [-1, 1] for each row, from the seed.
std::vector<float> initial_margins(const TrainSpec& train, std::span<const float> labels,
                                   uint64_t seed);

// Trains `train.rounds` trees level by level. Knows no method: all that differs is behind `method`.
TrainResult train_model(const TrainSpec& train, std::span<const float> labels, uint64_t seed,
                        Method& method, Wire& wire, ThreadPool& pool, const TrainHooks& hooks = {});

}  // namespace maskbench
