#include "harness/data/synthetic_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/base/random.hpp"

namespace maskbench {
namespace {

constexpr uint32_t kGeneratorSeed = 20250421;
enum Stream : uint32_t { kLaw, kFactors, kTraits, kMissing, kLabel };

constexpr int kFactorCount = 4;
constexpr double kLoading = 0.5;  // of a trait on its factor: two traits of a factor correlate .25
constexpr double kSqrt3 = 1.7320508075688772;
constexpr double kSqrt6 = 2.449489742783178;
const double kOwnLoading = std::sqrt(1 - kLoading * kLoading);

double unit(uint32_t word) {
  return word * 0x1p-32;
}

double halves_sum(uint32_t word) {
  return ((word & 0xffffu) + (word >> 16)) * 0x1p-16;
}

// Sums of uniforms, centred and scaled to variance 1: of four, near normal; of two, a triangle.
double near_normal(uint32_t a, uint32_t b) {
  return (halves_sum(a) + halves_sum(b) - 2) * kSqrt3;
}
double triangle(uint32_t word) {
  return (halves_sum(word) - 1) * kSqrt6;
}

double sign_of(double x) {
  return x > 0 ? 1 : -1;
}

// Is item f one of the `share` of all items, spread evenly?
bool is_chosen(int f, double share) {
  return std::floor((f + 1) * share) > std::floor(f * share);
}

}  // namespace

SyntheticModel::SyntheticModel(const SyntheticShape& shape)
    : shape_(shape), key_{kGeneratorSeed, hash_of<uint32_t>(shape.name)} {
  double variance = 0;
  for (int f = 0; f < shape.features; ++f) {
    features_.push_back(make_feature(f));
    variance += features_.back().weight * features_.back().weight;
  }
  // Neighbours and farther partners: any split of the features cuts some pairs and keeps others.
  for (int f = 0; f < shape.features; ++f) {
    const int stride = 1 + static_cast<int>(law_word(f, 100) % 5);
    const int partner = (f + stride) % shape.features;
    if (partner == f) continue;
    const double weight = 0.3 + 0.6 * unit(law_word(f, 101));
    interactions_.push_back({f, partner, static_cast<Pair>(f % 3), weight});
    variance += weight * weight;
  }
  scale_ = 1 / std::sqrt(variance);
}

uint32_t SyntheticModel::law_word(uint32_t item, uint32_t use) const {
  return philox({{item, use, kLaw, 0}}, key_).x[0];
}

SyntheticModel::Feature SyntheticModel::make_feature(int f) const {
  Feature feature;
  const bool category = is_chosen(f, shape_.categorical);
  feature.name = fmt::format("{}{:02}", category ? 'c' : 'x', f);
  feature.lens = category ? Lens::category : static_cast<Lens>(law_word(f, 0) % 4);
  feature.main = static_cast<Main>(law_word(f, 1) % 4);
  feature.weight = (0.5 + unit(law_word(f, 2))) * sign_of(unit(law_word(f, 3)) - 0.5);
  feature.turn = 2 * unit(law_word(f, 4)) - 1;
  if (is_chosen(shape_.features - 1 - f, shape_.missing)) {
    feature.missing_below = 0.02 + 0.08 * unit(law_word(f, 5));
    feature.missing_above = 0.05 + 0.25 * unit(law_word(f, 6));
  }
  if (category) add_categories(f, feature);
  return feature;
}

void SyntheticModel::add_categories(int f, Feature& feature) const {
  const uint32_t count = 2 + law_word(f, 7) % 15;
  feature.codes.resize(count);
  std::iota(feature.codes.begin(), feature.codes.end(), 0.0f);
  for (uint32_t i = count; i > 1; --i) {
    std::swap(feature.codes[i - 1], feature.codes[law_word(f, 200 + i) % i]);
  }
  for (uint32_t i = 0; i < count; ++i) {
    feature.slice_effects.push_back(kSqrt3 * (2 * unit(law_word(f, 300 + i)) - 1));
  }
}

std::vector<Column> SyntheticModel::empty_columns() const {
  std::vector<Column> columns;
  for (const Feature& feature : features_) {
    Column column{feature.name, std::vector<float>(shape_.rows), {}};
    for (size_t code = 0; code < feature.codes.size(); ++code) {
      column.categories.push_back(fmt::format("k{:02}", code));
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

namespace {

// Slices of the middle [-2, 2] of a trait; the outer ones reach on.
size_t slice_of(double trait, size_t slices) {
  const double position = (trait + 2) / 4 * static_cast<double>(slices);
  return static_cast<size_t>(std::clamp(position, 0.0, static_cast<double>(slices) - 1));
}

}  // namespace

float SyntheticModel::show(const Feature& feature, double trait) const {
  switch (feature.lens) {
    case Lens::skewed: {
      const double shifted = trait + 4;  // a trait is never below -3.9
      return static_cast<float>(std::floor(shifted * shifted * shifted * shifted * 8));
    }
    case Lens::count:
      return static_cast<float>(std::floor(std::max(0.0, 3 * trait + 3)));
    case Lens::spiked:
      return trait < 0.3 ? 0.0f : static_cast<float>(std::floor((trait - 0.3) * 2000));
    case Lens::category:
      return feature.codes[slice_of(trait, feature.codes.size())];
    case Lens::plain:
      break;
  }
  return static_cast<float>(trait);
}

double SyntheticModel::score(const std::vector<double>& traits) const {
  double sum = 0;
  for (size_t f = 0; f < features_.size(); ++f) {
    const Feature& feature = features_[f];
    const double x = traits[f];
    const double d = x - feature.turn;
    double effect = x;
    if (feature.lens == Lens::category) {
      effect = feature.slice_effects[slice_of(x, feature.slice_effects.size())];
    } else if (feature.main == Main::threshold) {
      effect = sign_of(d);
    } else if (feature.main == Main::bump) {
      effect = 4 / (1 + 4 * d * d) - 1.5;
    } else if (feature.main == Main::curve) {
      effect = 0.7 * (x * x - 1);
    }
    sum += feature.weight * effect;
  }
  for (const Interaction& pair : interactions_) {
    const double a = traits[pair.a], b = traits[pair.b];
    const double effect = pair.kind == Pair::exclusive_or ? sign_of(a) * sign_of(b)
                          : pair.kind == Pair::product    ? a * b
                                                          : (a > 0.3 ? 1.6 * b : 0);
    sum += pair.weight * effect;
  }
  return sum * scale_;
}

double SyntheticModel::draw_row(uint32_t row, std::vector<Column>& columns,
                                std::vector<double>& traits) const {
  std::array<double, kFactorCount> factors{};
  for (uint32_t i = 0; i < kFactorCount; i += 2) {
    const PhiloxBlock words = philox({{row, i, kFactors, 0}}, key_);
    factors[i] = near_normal(words.x[0], words.x[1]);
    factors[i + 1] = near_normal(words.x[2], words.x[3]);
  }
  traits.resize(features_.size());
  for (uint32_t f = 0; f < features_.size(); f += 4) {
    const PhiloxBlock own = philox({{row, f, kTraits, 0}}, key_);
    for (uint32_t i = f; i < std::min<size_t>(f + 4, features_.size()); ++i) {
      traits[i] = kLoading * factors[i % kFactorCount] + kOwnLoading * triangle(own.x[i - f]);
    }
  }
  for (uint32_t f = 0; f < features_.size(); ++f) {
    const Feature& feature = features_[f];
    float& value = columns[f].values[row];
    value = show(feature, traits[f]);
    if (feature.missing_above == 0) continue;
    const double chance = traits[f] > 0.8 ? feature.missing_above : feature.missing_below;
    if (unit(philox({{row, f, kMissing, 0}}, key_).x[0]) < chance) {
      value = std::numeric_limits<float>::quiet_NaN();
    }
  }
  const PhiloxBlock noise = philox({{row, 0, kLabel, 0}}, key_);
  return score(traits) + shape_.noise * near_normal(noise.x[0], noise.x[1]);
}

}  // namespace maskbench
