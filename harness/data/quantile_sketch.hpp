#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace maskbench {

struct WeightedValue {
  float value = 0;
  uint32_t weight = 0;  // rows are numbered by 32 bits
};

// Ascending, by radix; -0 becomes 0. No NaN.
void sort_floats(std::vector<float>& values);

// The distinct values of a column with how often each occurs, ascending.
std::vector<WeightedValue> count_values(std::vector<float> values);

// A deterministic mergeable summary (Munro and Paterson's collapsing buffers): a full buffer of
// sorted values is halved to every second value of twice the weight, odd and even in turn. A
// halving at weight w moves any rank by at most w, and there are n / (2 w buffer) of them, so the
// ranks are wrong by at most n levels / (2 buffer). The same values in the same order give the same
// summary on every machine.
class QuantileSketch {
 public:
  explicit QuantileSketch(size_t buffer) : buffer_(buffer) {}

  void add(std::span<const float> values);
  std::vector<WeightedValue> summary() const;

 private:
  struct Level {
    std::vector<float> values;
    bool keep_odd = false;
  };
  void collapse(size_t level);

  size_t buffer_;
  std::vector<Level> levels_;
};

}  // namespace maskbench
