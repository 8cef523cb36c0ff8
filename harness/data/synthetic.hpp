#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/data/dataset.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

// What the generator imitates. The noise is the standard deviation of the label's noise when the
// signal's is 1: it sets the AUC that a good model can reach.
struct SyntheticShape {
  std::string name;
  size_t rows = 10000;
  int features = 10;
  double positive_rate = 0.5;
  double categorical = 0.25;  // share of the features
  double missing = 0.1;       // share of the features that have missing values
  double noise = 0.7;
};

// The paper's six data sets.
const std::vector<SyntheticShape>& known_shapes();
const SyntheticShape* find_shape(std::string_view name);

// Data of a shape, byte-identical on every machine and for any number of threads: only Philox,
// integers, and the IEEE operations + - * / sqrt. It depends on the shape alone, never on a run's
// seed: repeats vary the split and the noise, as they do with a file. The positive rate is exact to
// a row; for regression the label is the noisy score itself.
Dataset generate_synthetic(const SyntheticShape& shape, bool regression, ThreadPool& pool);

// Of all that the generated data follows from, the generator's version included.
std::string synthetic_sha256(const SyntheticShape& shape, bool regression);

}  // namespace maskbench
