#include "harness/data/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/data/synthetic_model.hpp"

namespace maskbench {
namespace {

void check(const SyntheticShape& shape) {
  if (shape.rows < 2 || shape.rows > std::numeric_limits<uint32_t>::max()) {
    throw Error(fmt::format("data.rows: {} rows; take 2 to 4294967295", shape.rows));
  }
  if (shape.features < 1 || shape.features > 100'000) {
    throw Error(fmt::format("data.features: {} features; take 1 to 100000", shape.features));
  }
  if (!(shape.positive_rate > 0 && shape.positive_rate < 1)) {
    throw Error(
        fmt::format("data.positive_rate: {}; take a rate between 0 and 1", shape.positive_rate));
  }
}

// The rows of highest score are positive; of equal scores the earlier row.
std::vector<float> labels_by_rank(const std::vector<double>& scores, double positive_rate) {
  const double wanted = std::floor(static_cast<double>(scores.size()) * positive_rate + 0.5);
  const size_t positives = std::clamp<size_t>(static_cast<size_t>(wanted), 1, scores.size() - 1);
  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto higher = [&](uint32_t a, uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  };
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(positives);
  std::nth_element(order.begin(), end, order.end(), higher);
  std::vector<float> labels(scores.size(), 0.0f);
  for (auto row = order.begin(); row != end; ++row) labels[*row] = 1.0f;
  return labels;
}

std::string describe(const SyntheticShape& s, bool regression) {
  return fmt::format("synthetic 1: {} {}x{} rate {} categorical {} missing {} noise {}{}", s.name,
                     s.rows, s.features, s.positive_rate, s.categorical, s.missing, s.noise,
                     regression ? " regression" : "");
}

}  // namespace

const std::vector<SyntheticShape>& known_shapes() {
  static const std::vector<SyntheticShape> shapes = {
      {"credit1", 150000, 10, 0.07, 0.0, 0.2, 0.8}, {"adult", 32651, 14, 0.24, 0.55, 0.2, 0.3},
      {"credit2", 30000, 23, 0.22, 0.15, 0.0, 0.9}, {"higgs", 200000, 28, 0.47, 0.0, 0.0, 0.9},
      {"bank", 45211, 16, 0.11, 0.55, 0.1, 0.3},    {"nomao", 34465, 10, 0.28, 0.3, 0.1, 0.25},
  };
  return shapes;
}

const SyntheticShape* find_shape(std::string_view name) {
  for (const SyntheticShape& shape : known_shapes()) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

std::string synthetic_sha256(const SyntheticShape& shape, bool regression) {
  return sha256_of_text(describe(shape, regression));
}

Dataset generate_synthetic(const SyntheticShape& shape, bool regression, ThreadPool& pool) {
  check(shape);
  const SyntheticModel model(shape);
  Dataset data;
  data.name = shape.name;
  data.source = "synthetic";
  data.sha256 = synthetic_sha256(shape, regression);
  data.features = model.empty_columns();
  std::vector<double> scores(shape.rows);
  constexpr size_t kBlock = 4096;
  pool.run((shape.rows + kBlock - 1) / kBlock, [&](size_t block, int) {
    std::vector<double> traits;
    const size_t end = std::min(shape.rows, (block + 1) * kBlock);
    for (size_t row = block * kBlock; row < end; ++row) {
      scores[row] = model.draw_row(static_cast<uint32_t>(row), data.features, traits);
    }
  });
  if (regression) {
    data.labels.assign(scores.begin(), scores.end());
  } else {
    data.labels = labels_by_rank(scores, shape.positive_rate);
  }
  return data;
}

}  // namespace maskbench
