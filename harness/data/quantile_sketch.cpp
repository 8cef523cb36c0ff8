#include "harness/data/quantile_sketch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace maskbench {
namespace {

constexpr uint32_t kSignBit = 0x80000000u;

// Unsigned keys in the order of the floats: negative ones are complemented, others get the top bit.
uint32_t key_of(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value + 0.0f);
  return (bits & kSignBit) ? ~bits : bits | kSignBit;
}

float value_of(uint32_t key) {
  return std::bit_cast<float>((key & kSignBit) ? key & ~kSignBit : ~key);
}

constexpr int kDigitBits = 11;
constexpr int kDigits = 3;
constexpr uint32_t kRadix = 1u << kDigitBits;

uint32_t digit_of(uint32_t key, int digit) {
  return (key >> (digit * kDigitBits)) & (kRadix - 1);
}

std::vector<WeightedValue> merge_equal(std::vector<WeightedValue> sorted) {
  size_t kept = 0;
  for (const WeightedValue& item : sorted) {
    if (kept > 0 && sorted[kept - 1].value == item.value) {
      sorted[kept - 1].weight += item.weight;
    } else {
      sorted[kept++] = item;
    }
  }
  sorted.resize(kept);
  return sorted;
}

}  // namespace

void sort_floats(std::vector<float>& values) {
  std::vector<uint32_t> keys(values.size()), other(values.size());
  std::array<std::array<size_t, kRadix>, kDigits> starts{};
  for (size_t i = 0; i < values.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (int d = 0; d < kDigits; ++d) ++starts[d][digit_of(keys[i], d)];
  }
  for (int d = 0; d < kDigits; ++d) {
    size_t start = 0;
    for (size_t& count : starts[d]) start += std::exchange(count, start);
    for (const uint32_t key : keys) other[starts[d][digit_of(key, d)]++] = key;
    keys.swap(other);
  }
  for (size_t i = 0; i < values.size(); ++i) values[i] = value_of(keys[i]);
}

std::vector<WeightedValue> count_values(std::vector<float> values) {
  sort_floats(values);
  std::vector<WeightedValue> counts;
  counts.reserve(values.size());
  for (const float value : values) {
    if (counts.empty() || counts.back().value != value) counts.push_back({value, 0});
    ++counts.back().weight;
  }
  return counts;
}

void QuantileSketch::add(std::span<const float> values) {
  while (!values.empty()) {
    if (levels_.empty()) levels_.emplace_back();
    std::vector<float>& base = levels_[0].values;
    const size_t taken = std::min(values.size(), buffer_ - base.size());
    base.insert(base.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(taken));
    values = values.subspan(taken);
    if (base.size() == buffer_) collapse(0);
  }
}

void QuantileSketch::collapse(size_t level) {
  for (; level < levels_.size() && levels_[level].values.size() >= buffer_; ++level) {
    if (level + 1 == levels_.size()) levels_.emplace_back();
    Level& full = levels_[level];
    sort_floats(full.values);
    std::vector<float>& above = levels_[level + 1].values;
    for (size_t i = full.keep_odd ? 1 : 0; i < full.values.size(); i += 2) {
      above.push_back(full.values[i]);
    }
    full.keep_odd = !full.keep_odd;
    full.values.clear();
  }
}

std::vector<WeightedValue> QuantileSketch::summary() const {
  std::vector<WeightedValue> items;
  for (size_t level = 0; level < levels_.size(); ++level) {
    for (const float value : levels_[level].values) {
      items.push_back({value, uint32_t{1} << level});
    }
  }
  std::sort(items.begin(), items.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  return merge_equal(std::move(items));
}

}  // namespace maskbench
