#include "harness/data/quantile_sketch.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/radix_sort.hpp"

namespace maskbench {
namespace {

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
  std::vector<uint32_t> keys(values.size());
  std::transform(values.begin(), values.end(), keys.begin(), float_key);
  radix_sort(keys);
  std::transform(keys.begin(), keys.end(), values.begin(), float_of_key);
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
