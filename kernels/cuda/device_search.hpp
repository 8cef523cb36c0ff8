#pragma once

// Histograms and scores on a Device (see device_backend.hpp).
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/histogram.cuh"
#include "kernels/cuda/score.cuh"

namespace maskbench::kernels::device {

// Features in tiles whose bins fit a block's shared memory.
inline std::vector<FeatureTile> feature_tiles(std::span<const uint32_t> offsets) {
  std::vector<FeatureTile> tiles;
  for (uint32_t f = 0; f + 1 < offsets.size(); ++f) {
    if (tiles.empty() || offsets[f + 1] - tiles.back().first_bin > kSharedBins) {
      tiles.push_back({f, 0, offsets[f], 0});
    }
    ++tiles.back().features;
    tiles.back().bins = offsets[f + 1] - tiles.back().first_bin;
  }
  return tiles;
}

// The rows of the nodes one after another, cut into chunks.
inline std::vector<RowChunk> row_chunks(std::span<const NodeRows> nodes) {
  std::vector<RowChunk> chunks;
  uint32_t begin = 0;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const auto end = begin + static_cast<uint32_t>(nodes[node].rows.size());
    for (; begin < end; begin += chunks.back().rows) {
      chunks.push_back({begin, std::min(kExactRows, end - begin), node});
    }
  }
  return chunks;
}

template <class Device, class Kernels>
class DeviceSearch {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

 public:
  explicit DeviceSearch(Device& device) : device_(device) {}

  void bind_gradients(std::span<const GradientPair> gradients) {
    const auto range = device_.range("copy gradients");
    gradients_ = device_.upload(gradients);
    device_.finish();  // both streams use it
  }

  void histogram(const Buffer<uint8_t>& bins, size_t stride, std::span<const uint32_t> offsets,
                 std::span<const NodeRows> nodes) {
    const auto range = device_.range("histogram");
    const std::vector<RowChunk> chunks = row_chunks(nodes);
    const std::vector<FeatureTile> tiles = feature_tiles(offsets);
    const uint32_t total = offsets.back();
    const size_t rows_count = chunks.empty() ? 0 : chunks.back().begin + chunks.back().rows;
    auto rows = device_.template allocate<uint32_t>(rows_count);
    size_t at = 0;
    for (const NodeRows& node : nodes) {
      device_.copy_to(rows, at, node.rows);
      at += node.rows.size();
    }
    const auto device_chunks = device_.upload(std::span<const RowChunk>(chunks));
    const auto device_tiles = device_.upload(std::span<const FeatureTile>(tiles));
    const auto device_offsets = device_.upload(offsets);
    auto sums = device_.template allocate<unsigned long long>(2 * nodes.size() * total);
    device_.fill(sums, 2 * nodes.size() * total, 0ull);
    const HistogramParams params{
        device_chunks.data(), device_tiles.data(), device_offsets.data(),         rows.data(),
        gradients_.data(),    bins.data(),         static_cast<uint32_t>(stride), total};
    device_.launch(Kernels::histogram, static_cast<uint32_t>(chunks.size()),
                   static_cast<uint32_t>(tiles.size()), params, sums.data());
    std::vector<unsigned long long> out(2 * nodes.size() * total);
    device_.download(sums, std::span(out));
    const unsigned long long* next = out.data();
    for (const NodeRows& node : nodes) {
      for (size_t bin = 0; bin < total; ++bin, next += 2) {
        node.sums[bin] = {static_cast<int64_t>(next[0]), static_cast<int64_t>(next[1])};
      }
    }
  }

  // The nodes from `first_node` on, as many as `best` has.
  void score_histograms(const HistogramScores& input, size_t first_node,
                        std::span<BestCandidate> best) {
    const auto range = device_.range("score");
    const uint32_t bins = input.features.back().offset + input.features.back().bins();
    const auto features = device_.upload(input.features);
    const auto histograms =
        device_.upload(input.histograms.subspan(first_node * bins, best.size() * bins));
    const auto nodes = static_cast<uint32_t>(best.size());
    const auto count = static_cast<uint32_t>(input.features.size());
    const uint32_t tasks = nodes * count;
    auto of_feature = device_.template allocate<BestCandidate>(tasks);
    auto keys = device_.template allocate<uint32_t>(tasks);
    const ScanParams params{features.data(), histograms.data(), count, nodes, bins,
                            input.step,      input.params};
    device_.launch(Kernels::scan_score, (tasks + kWarps - 1) / kWarps, 1, params, of_feature.data(),
                   keys.data());
    best_of_nodes(keys, of_feature, tasks, best);
  }

  // The candidates [first, last).
  void score(const ScoreInput& input, size_t first, size_t last, std::span<BestCandidate> best) {
    const auto range = device_.range("score");
    const auto count = static_cast<uint32_t>(last - first);
    const auto node = device_.upload(input.node.subspan(first, count));
    const auto left = device_.upload(input.left.subspan(first, count));
    const auto total = device_.upload(input.total);
    auto scored = device_.template allocate<BestCandidate>(count);
    device_.launch(device::score, (count + kThreads - 1) / kThreads, 1, node.data(), left.data(),
                   total.data(), static_cast<uint32_t>(first), count, input.step, input.params,
                   scored.data());
    best_of_nodes(node, scored, count, best);
  }

 private:
  // keys: the node of each. A node's best stays where it is better.
  void best_of_nodes(const Buffer<uint32_t>& keys, const Buffer<BestCandidate>& scored,
                     size_t count, std::span<BestCandidate> best) {
    auto node = device_.template allocate<uint32_t>(best.size());
    auto found = device_.template allocate<BestCandidate>(best.size());
    const size_t runs = device_.best_by_key(keys, scored, count, node, found);
    std::vector<uint32_t> nodes(runs);
    std::vector<BestCandidate> of_node(runs);
    device_.download(node, std::span(nodes));
    device_.download(found, std::span(of_node));
    for (size_t i = 0; i < runs; ++i) {
      if (is_better(of_node[i], best[nodes[i]])) best[nodes[i]] = of_node[i];
    }
  }

  Device& device_;
  Buffer<GradientPair> gradients_;
};

}  // namespace maskbench::kernels::device
