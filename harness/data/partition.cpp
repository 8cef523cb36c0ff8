#include "harness/data/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/base/random.hpp"
#include "harness/base/text.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

// Moves a uniformly drawn subset of `count` items to the front (Fisher and Yates).
template <class Item>
void draw_to_front(std::vector<Item>& items, size_t count, Draws draws) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t left = static_cast<uint32_t>(items.size() - i);
    std::swap(items[i], items[i + draws.below(left)]);
  }
}

// Rows of label 0 and of label 1; unstratified: all rows in the first.
std::vector<std::vector<uint32_t>> classes_of(std::span<const float> labels, bool stratified) {
  std::vector<std::vector<uint32_t>> classes(stratified ? 2 : 1);
  for (size_t row = 0; row < labels.size(); ++row) {
    classes[stratified && labels[row] == 1.0f].push_back(static_cast<uint32_t>(row));
  }
  return classes;
}

size_t nearest_count(double share, size_t size) {
  return static_cast<size_t>(std::floor(share * static_cast<double>(size) + 0.5));
}

template <class Item>
std::vector<Item> sorted_part(const std::vector<Item>& items, size_t begin, size_t end) {
  std::vector<Item> part(items.begin() + static_cast<std::ptrdiff_t>(begin),
                         items.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(part.begin(), part.end());
  return part;
}

template <class Item>
void merge_into(std::vector<Item>& all, std::vector<Item> more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
}

std::vector<int> columns_by_name(const Dataset& data, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const Column& column : data.features) names.push_back(column.name);
  std::vector<int> columns;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(fmt::format("data.ap_columns: '{}' is no feature of {}; did you mean '{}'?",
                              printable(name), data.name, printable(nearest_name(name, names))));
    }
    const int column = static_cast<int>(found - names.begin());
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      throw Error(fmt::format("data.ap_columns: '{}' is named twice; drop one", printable(name)));
    }
    columns.push_back(column);
  }
  return columns;
}

}  // namespace

std::vector<uint32_t> draw_rows(std::span<const float> labels, size_t count, bool stratified,
                                uint64_t seed, const std::string& purpose) {
  if (count > labels.size()) throw std::invalid_argument("draw_rows: more rows than there are");
  std::vector<std::vector<uint32_t>> classes = classes_of(labels, stratified);
  std::vector<size_t> counts = {count};
  if (stratified) {
    const double share = static_cast<double>(count) / static_cast<double>(labels.size());
    const size_t zeros = classes[0].size(), ones = classes[1].size();
    size_t drawn = nearest_count(share, ones);
    if (ones > 0 && count >= 2) drawn = std::max<size_t>(drawn, 1);
    if (zeros > 0 && count >= 2) drawn = std::min(drawn, count - 1);
    counts = {count - drawn, drawn};
  }
  std::vector<uint32_t> rows;
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto stream = static_cast<uint32_t>(c);
    draw_to_front(classes[c], counts[c], Draws(derive_key(seed, purpose), stream));
    merge_into(rows, sorted_part(classes[c], 0, counts[c]));
  }
  return rows;
}

RowPartition partition_rows(const Dataset& data, double test_fraction, bool regression,
                            uint64_t seed) {
  RowPartition parts;
  std::vector<std::vector<uint32_t>> classes = classes_of(data.labels, !regression);
  for (size_t c = 0; c < classes.size(); ++c) {
    std::vector<uint32_t>& rows = classes[c];
    const size_t test = nearest_count(test_fraction, rows.size());
    if (test < 1 || test >= rows.size()) {
      throw Error(fmt::format(
          "data.test_fraction: {} of the {} rows {}of {} leaves no row to {}; take more rows or "
          "another fraction",
          test_fraction, rows.size(), regression ? "" : fmt::format("with label {} ", c), data.name,
          test < 1 ? "test" : "train"));
    }
    draw_to_front(rows, test, Draws(derive_key(seed, "test rows"), static_cast<uint32_t>(c)));
    merge_into(parts.test, sorted_part(rows, 0, test));
    merge_into(parts.train, sorted_part(rows, test, rows.size()));
  }
  return parts;
}

FeaturePartition partition_features(const Dataset& data, const DataSpec& spec, uint64_t seed) {
  const size_t total = data.features.size();
  std::vector<int> features(total);
  std::iota(features.begin(), features.end(), 0);
  size_t ap = spec.ap_columns.size();
  if (spec.ap_columns.empty()) {
    ap = nearest_count(spec.ap_features, total);
    if (ap <= total) draw_to_front(features, ap, Draws(derive_key(seed, "AP's features")));
  } else {
    const std::vector<int> wanted = columns_by_name(data, spec.ap_columns);
    std::stable_partition(features.begin(), features.end(), [&](int feature) {
      return std::find(wanted.begin(), wanted.end(), feature) != wanted.end();
    });
  }
  if (ap < 1 || ap >= total) {
    throw Error(fmt::format("{}: AP gets {} of the {} features of {}; each party needs one",
                            spec.ap_columns.empty() ? "data.ap_features" : "data.ap_columns", ap,
                            total, data.name));
  }
  return {sorted_part(features, 0, ap), sorted_part(features, ap, total)};
}

}  // namespace maskbench
