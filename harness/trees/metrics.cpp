#include "harness/trees/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "harness/base/radix_sort.hpp"
#include "kernels/math.hpp"

namespace maskbench {

double auc(std::span<const float> scores, std::span<const float> labels) {
  std::vector<uint64_t> keys(scores.size());
  for (size_t j = 0; j < keys.size(); ++j) {
    keys[j] = uint64_t{float_key(scores[j])} << 32 | (labels[j] > 0.5f ? 1u : 0u);
  }
  radix_sort(keys);
  // Twice the number of (positive, negative) pairs in the right order, a tie counting one.
  uint64_t pairs = 0, negatives = 0, positives = 0;
  for (size_t begin = 0; begin < keys.size();) {
    uint64_t tied_positives = 0;
    size_t end = begin;
    for (; end < keys.size() && keys[end] >> 32 == keys[begin] >> 32; ++end)
      tied_positives += keys[end] & 1;
    const uint64_t tied_negatives = end - begin - tied_positives;
    pairs += tied_positives * (2 * negatives + tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(pairs) / 2 /
         (static_cast<double>(positives) * static_cast<double>(negatives));
}

double log_loss(std::span<const float> margins, std::span<const float> labels) {
  double sum = 0;
  for (size_t j = 0; j < margins.size(); ++j) {
    const double p = sigmoid_f32(labels[j] > 0.5f ? margins[j] : -margins[j]);
    sum -= log_f64(std::clamp(p, 1e-7, 1 - 1e-7));
  }
  return sum / static_cast<double>(margins.size());
}

double accuracy(std::span<const float> margins, std::span<const float> labels) {
  size_t right = 0;
  for (size_t j = 0; j < margins.size(); ++j) right += (margins[j] > 0) == (labels[j] > 0.5f);
  return static_cast<double>(right) / static_cast<double>(margins.size());
}

double rmse(std::span<const float> predictions, std::span<const float> labels) {
  double sum = 0;
  for (size_t j = 0; j < predictions.size(); ++j) {
    const double difference = double{predictions[j]} - labels[j];
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(predictions.size()));
}

uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    uint64_t kib = 0;
    status >> kib;
    return kib * 1024;
  }
  return 0;
}

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

}  // namespace maskbench
