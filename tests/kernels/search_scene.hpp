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
  std::vector<BestCandidate> best;    // of them
  std::vector<BestCandidate> undone;  // of them, the responses of some features undone
  std::vector<BestCandidate> uneven;  // of them, with steps that are no powers of two
  std::vector<uint32_t> counts;       // rows left of each candidate
  std::vector<GradientSum> grown;     // of two nodes that grew out of one
  std::vector<BestCandidate> grown_best;
  std::vector<BestCandidate> hurried;  // of the same two, after levels that nobody waited for

  bool operator==(const SearchResults&) const = default;
};

// All rows in one node, and its two children: rows by bits, the larger child by subtraction. In
// later trees nobody asks for anything before the last level.
inline void grow(Backend& backend, const SearchScene& scene, const HistogramScores& scores,
                 SearchResults& r) {
  const auto count = static_cast<uint32_t>(scene.gradients().size());
  std::vector<uint32_t> all(count), left, right;
  std::vector<uint64_t> bits((count + 63) / 64);
  for (uint32_t row = 0; row < count; ++row) {
    const bool is_left = (row * 2654435761u >> 13 & 7) < 3;
    bits[row / 64] |= uint64_t{is_left} << (row % 64);
    (is_left ? left : right).push_back(all[row] = row);
  }
  const auto histograms = backend.histograms();
  const Level root{2, 0, {{0, -1, all}}, {}};
  const Level next{2, 1, {{1, 0, left}, {2, 0, right}}, bits};
  backend.begin_level(root);
  histograms->update(scene.gradients(), true, false);
  histograms->search(scores);
  histograms->found(std::span(r.grown_best).first(1));
  backend.begin_level(next);
  histograms->update(scene.gradients(), false, false);
  histograms->search(scores);
  histograms->found(r.grown_best);
  const auto sums = histograms->read();
  r.grown.assign(sums.begin(), sums.end());
  for (int tree = 3; tree < 9; ++tree) {
    const Level first{tree, 0, root.nodes, {}}, second{tree, 1, next.nodes, bits};
    backend.begin_level(first);
    histograms->update(scene.gradients(), false, false);
    backend.begin_level(second);
    histograms->update(scene.gradients(), false, false);
    histograms->search(scores);
  }
  histograms->found(r.hurried);
}

inline SearchResults run_search(Backend& backend, const SearchScene& scene) {
  const size_t nodes = scene.nodes().size();
  const Features features{scene.bins(), scene.features(), scene.offsets()};
  Level level{1, 0, {}, {}};
  for (size_t v = 0; v < nodes; ++v)
    level.nodes.push_back({static_cast<int>(v), -1, scene.nodes()[v]});
  SearchResults r{{},
                  std::vector<BestCandidate>(nodes),
                  std::vector<BestCandidate>(nodes),
                  {},
                  std::vector<uint32_t>(nodes * features.candidates()),
                  {},
                  std::vector<BestCandidate>(2),
                  std::vector<BestCandidate>(2)};
  backend.bind(features, nodes);
  backend.begin_level(level);
  const auto histograms = backend.histograms();
  histograms->update(scene.gradients(), true, false);
  const HistogramScores scores{0x1p-20, {1.0, 0.1, 1.0}};
  histograms->search(scores);
  histograms->found(r.best);
  std::vector<Response> responses(scene.features().size());
  for (size_t f = 1; f < responses.size(); f += 2) responses[f] = {0.7, 0.3 / 31};
  histograms->search({scores.step, scores.params, responses});
  histograms->found(r.undone);
  // Products with these are rounded: a product that is fused with a sum shows.
  for (double step : {1.1e-6, 0.7e-6, 0.9e-6}) {
    std::vector<BestCandidate> best(nodes);
    histograms->search({step, scores.params});
    histograms->found(best);
    r.uneven.insert(r.uneven.end(), best.begin(), best.end());
  }
  const auto sums = histograms->read();
  r.histograms.assign(sums.begin(), sums.end());
  const std::vector<GradientPair> ones(scene.gradients().size(), {1, 0});
  const auto counts = backend.histograms();
  counts->update(ones, true, true);
  counts->left_counts(r.counts);
  grow(backend, scene, scores, r);
  return r;
}

inline std::vector<SearchScene> search_scenes() {
  std::vector<SearchScene> scenes;
  scenes.emplace_back(std::vector<uint32_t>{5000});
  scenes.emplace_back(std::vector<uint32_t>{1, 2047, 0, 2048, 40, 300});
  return scenes;
}

}  // namespace maskbench::kernels
