#include "harness/data/binning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "harness/data/quantile_sketch.hpp"

namespace maskbench {
namespace {

// A float c with below <= c < above, halfway where floats allow it.
float cut_between(float below, float above) {
  const float middle = static_cast<float>((static_cast<double>(below) + above) / 2);
  return middle >= below && middle < above ? middle : below;
}

// Greedy equal mass (as LightGBM's): a value heavier than an even share has a bin to itself, and
// the bins left share the mass left. Each bin ends where its mass is nearest to the share.
class EqualMassCutter {
 public:
  EqualMassCutter(std::span<const WeightedValue> values, size_t max_bins)
      : values_(values), bins_left_(max_bins), light_bins_(max_bins) {
    for (const WeightedValue& v : values) light_mass_ += mass_of(v);
    heavy_ = light_mass_ / static_cast<double>(max_bins);
    for (const WeightedValue& v : values) {
      if (!is_heavy(v)) continue;
      light_mass_ -= mass_of(v);
      --light_bins_;
    }
  }

  std::vector<float> cuts() {
    std::vector<float> cuts;
    double light = 0;  // light mass in the open bin
    for (size_t i = 0; i + 1 < values_.size() && bins_left_ > 1; ++i) {
      const bool heavy = is_heavy(values_[i]);
      if (!heavy) light += mass_of(values_[i]);
      if (!heavy && !ends_light_bin(i, light)) continue;
      cuts.push_back(cut_between(values_[i].value, values_[i + 1].value));
      --bins_left_;
      if (!heavy) --light_bins_;
      light_mass_ -= std::exchange(light, 0);
    }
    return cuts;
  }

 private:
  static double mass_of(const WeightedValue& v) { return static_cast<double>(v.weight); }
  bool is_heavy(const WeightedValue& v) const { return mass_of(v) >= heavy_; }

  bool ends_light_bin(size_t i, double mass) const {
    if (light_bins_ == 0) return false;
    const double share = light_mass_ / static_cast<double>(light_bins_);
    const WeightedValue& next = values_[i + 1];
    return is_heavy(next) ? mass >= share / 2 : mass + mass_of(next) / 2 > share;
  }

  std::span<const WeightedValue> values_;
  size_t bins_left_;
  size_t light_bins_;      // bins left for values that are not heavy ...
  double light_mass_ = 0;  // ... and their mass that is in no bin yet
  double heavy_ = 0;
};

std::vector<float> cuts_of(std::span<const WeightedValue> values, size_t max_bins) {
  if (values.size() > max_bins) return EqualMassCutter(values, max_bins).cuts();
  std::vector<float> cuts;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    cuts.push_back(cut_between(values[i].value, values[i + 1].value));
  }
  return cuts;
}

// The distinct values, as long as there are few: the sketch may lose a rare one.
class FewDistinct {
 public:
  explicit FewDistinct(size_t limit) : limit_(limit) {}

  void add(std::span<const float> values) {
    for (const float value : values) {
      if (values_.size() > limit_) return;
      const auto at = std::lower_bound(values_.begin(), values_.end(), value, less);
      if (at == values_.end() || at->value != value) values_.insert(at, {value, 1});
    }
  }
  bool holds_all() const { return values_.size() <= limit_; }
  const std::vector<WeightedValue>& values() const { return values_; }

 private:
  static bool less(const WeightedValue& a, float value) { return a.value < value; }

  size_t limit_;
  std::vector<WeightedValue> values_;
};

std::vector<float> sketched_cuts(std::span<const float> present, size_t max_bins) {
  FewDistinct few(max_bins);
  few.add(present);
  if (few.holds_all()) return cuts_of(few.values(), max_bins);
  QuantileSketch sketch(kSketchBuffer);
  sketch.add(present);
  return cuts_of(sketch.summary(), max_bins);
}

// The cuts padded to 2^depth - 1, so that the search has a fixed number of steps without branches.
class BinSearch {
 public:
  explicit BinSearch(const FeatureCuts& cuts)
      : half_(std::bit_floor(cuts.cuts.size())),
        missing_(static_cast<uint8_t>(cuts.bins() - 1)),
        cuts_(cuts.cuts) {
    cuts_.resize(2 * half_, std::numeric_limits<float>::infinity());
  }

  uint8_t operator()(float x) const {
    size_t bin = 0;
    for (size_t step = half_; step > 0; step /= 2) bin += x > cuts_[bin + step - 1] ? step : 0;
    return std::isnan(x) ? missing_ : static_cast<uint8_t>(bin);
  }

 private:
  size_t half_;
  uint8_t missing_;  // the bin of its own or, without one, the last value bin: both are the last
  std::vector<float> cuts_;
};

}  // namespace

FeatureCuts find_cuts(std::span<const float> values, int max_bins) {
  if (max_bins < 1) throw std::invalid_argument("find_cuts: max_bins must be at least 1");
  std::vector<float> present;
  present.reserve(values.size());
  for (const float value : values) {
    if (!std::isnan(value)) present.push_back(value);
  }
  FeatureCuts result;
  result.has_missing = present.size() < values.size();
  const auto limit = static_cast<size_t>(std::min(max_bins, kMaxBins - result.has_missing));
  result.cuts = present.size() <= kExactValues ? cuts_of(count_values(std::move(present)), limit)
                                               : sketched_cuts(present, limit);
  return result;
}

std::vector<FeatureCuts> find_cuts(const Dataset& data, std::span<const int> features,
                                   std::span<const uint32_t> rows, int max_bins) {
  std::vector<FeatureCuts> result;
  std::vector<float> values(rows.size());
  for (const int feature : features) {
    const std::vector<float>& column = data.features.at(static_cast<size_t>(feature)).values;
    for (size_t i = 0; i < rows.size(); ++i) values[i] = column[rows[i]];
    result.push_back(find_cuts(values, max_bins));
  }
  return result;
}

BinnedMatrix bin_rows(const Dataset& data, std::span<const int> features,
                      const std::vector<FeatureCuts>& cuts, std::span<const uint32_t> rows) {
  if (cuts.size() != features.size()) throw std::invalid_argument("bin_rows: one cut per feature");
  const size_t width = features.size();
  BinnedMatrix result{rows.size(), static_cast<int>(width), {}};
  result.bins.resize(rows.size() * width);
  const std::vector<BinSearch> searches(cuts.begin(), cuts.end());
  constexpr size_t kBlock = 2048;  // rows whose bins stay in cache while the columns pass
  for (size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const size_t end = std::min(rows.size(), begin + kBlock);
    for (size_t j = 0; j < width; ++j) {
      const float* column = data.features.at(static_cast<size_t>(features[j])).values.data();
      for (size_t i = begin; i < end; ++i) {
        result.bins[i * width + j] = searches[j](column[rows[i]]);
      }
    }
  }
  return result;
}

}  // namespace maskbench
