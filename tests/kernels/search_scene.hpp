#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// Nodes of awkward sizes over features of many and few bins, with and without missing values, more
// than one tile of shared memory; gradients at their limits; empty bins and a doubled feature, so
// that candidates tie.
class SearchScene {
 public:
  explicit SearchScene(std::vector<uint32_t> node_sizes) {
    std::mt19937 rng(static_cast<unsigned>(node_sizes.size()) + 5);
    const std::vector<std::pair<uint16_t, bool>> shapes{
        {32, false},  {255, true}, {1, true},    {1, false}, {200, false},
        {200, false}, {33, true},  {256, false}, {2, false}, {250, true}};
    uint32_t candidate = 0;
    for (const auto& [value_bins, has_missing] : shapes) {
      features_.push_back({offsets_.back(), candidate, value_bins, has_missing});
      offsets_.push_back(offsets_.back() + features_.back().bins());
      candidate += features_.back().candidates();
    }
    size_t rows = 7;  // more than the nodes have
    for (uint32_t size : node_sizes) rows += size;
    for (size_t row = 0; row < rows; ++row) {
      for (const FeatureBins& feature : features_) {
        bins_.push_back(static_cast<uint8_t>(rng() % feature.bins()));
      }
      bins_[bins_.size() - 5] = bins_[bins_.size() - 6];  // features 4 and 5
      gradients_.push_back({one(rng), one(rng)});
    }
    uint32_t row = 3;
    for (uint32_t size : node_sizes) {
      nodes_.emplace_back();
      for (uint32_t j = 0; j < size; ++j) nodes_.back().push_back(row++);
    }
  }

  std::span<const uint32_t> offsets() const { return offsets_; }
  std::span<const FeatureBins> features() const { return features_; }
  std::span<const GradientPair> gradients() const { return gradients_; }
  BinMatrix bins() const { return {bins_, features_.size()}; }
  const std::vector<std::vector<uint32_t>>& nodes() const { return nodes_; }

 private:
  static int32_t one(std::mt19937& rng) {
    const int32_t limit = 1 << kGradientBits;
    return rng() % 3 ? limit : static_cast<int32_t>(rng() % (2 * limit + 1)) - limit;
  }

  std::vector<FeatureBins> features_;
  std::vector<uint32_t> offsets_{0};
  std::vector<uint8_t> bins_;
  std::vector<GradientPair> gradients_;
  std::vector<std::vector<uint32_t>> nodes_;
};

struct SearchResults {
  std::vector<GradientSum> histograms;
  std::vector<BestCandidate> best;    // from the histograms
  std::vector<BestCandidate> scored;  // from sums that are given

  bool operator==(const SearchResults&) const = default;
};

inline SearchResults run_search(Backend& backend, const SearchScene& scene) {
  const size_t nodes = scene.nodes().size();
  const size_t bins = scene.offsets().back();
  SearchResults r{std::vector<GradientSum>(nodes * bins, GradientSum{1, 1}),
                  std::vector<BestCandidate>(nodes), std::vector<BestCandidate>(nodes)};
  std::vector<NodeRows> rows;
  for (size_t v = 0; v < nodes; ++v) {
    rows.push_back({scene.nodes()[v], std::span(r.histograms).subspan(v * bins, bins)});
  }
  backend.bind(scene.bins());
  backend.bind_gradients(scene.gradients());
  backend.histogram(scene.offsets(), rows);
  const ScoreParams params{1.0, 0.1, 1.0};
  const double step = 0x1p-20;
  backend.score_histograms({scene.features(), r.histograms, step, params}, r.best);
  // Every second node's bins as if they were candidates; three in a row tie.
  std::vector<uint32_t> node;
  std::vector<GradientSum> left, total;
  for (uint32_t v = 0; v < nodes; ++v) {
    total.push_back({1 << 26, 1 << 28});
    for (size_t b = 0; b < bins && v % 2 == 0; ++b) {
      node.push_back(v);
      left.push_back(r.histograms[v * bins + b / 3]);
    }
  }
  backend.score({node, left, total, step, params}, r.scored);
  return r;
}

inline std::vector<SearchScene> search_scenes() {
  std::vector<SearchScene> scenes;
  scenes.emplace_back(std::vector<uint32_t>{5000});
  scenes.emplace_back(std::vector<uint32_t>{1, 2047, 0, 2048, 40, 300});
  return scenes;
}

}  // namespace maskbench::kernels
