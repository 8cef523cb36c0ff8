#pragma once

#include <span>
#include <vector>

#include "harness/exchange/side.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// Labels released once by randomised response, z, with their flip probability q: yhat =
// (z - q)/(1 - 2q) is unbiased.
struct ReleasedLabels {
  double flip = 0;
  std::vector<uint8_t> z;
};

// Throws unless randomised response can carry it.
void check_label_budget(double eps);

ReleasedLabels release_labels(std::span<const float> labels, double eps, bool zero_noise,
                              const RandomKey& key);

// The ridge of the search for splits, and of the public leaves: the noisier the labels, the more.
// Public: it follows from eps_AP.
double split_lambda(const RunSpec& spec);

// The boosting that anybody can follow from z and the row sets alone: margins and gradients
// g = p - yhat, h = p (1 - p). All of it is post-processing of z.
class PublicBoosting {
 public:
  PublicBoosting(const TrainSpec& train, double leaf_lambda, const ReleasedLabels& labels,
                 ThreadPool& pool);

  const Gradients& gradients();  // at the margins of now
  void add_tree(std::span<const LeafRows> leaves);

 private:
  TrainSpec train_;
  double lambda_;
  ThreadPool& pool_;
  std::vector<float> yhat_;
  std::vector<float> margins_;
  Gradients gradients_;
};

}  // namespace maskbench
