#pragma once

// A party's features and the rows of its level on a Device.
#include <bit>
#include <stdexcept>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/cuda/device_memory.hpp"
#include "kernels/cuda/histogram.cuh"

namespace maskbench::kernels::device {

// Features in tiles whose bins fit a block's shared memory.
inline std::vector<FeatureTile> feature_tiles(std::span<const uint32_t> offsets) {
  std::vector<FeatureTile> tiles;
  for (uint32_t f = 0; f + 1 < offsets.size(); ++f) {
    if (tiles.empty() || offsets[f + 1] - tiles.back().first_bin > kSharedBins)
      tiles.push_back({f, 0, offsets[f], 0});
    ++tiles.back().features;
    tiles.back().bins = offsets[f + 1] - tiles.back().first_bin;
  }
  return tiles;
}

inline uint32_t warps_of(size_t tasks) {
  return static_cast<uint32_t>((tasks + kWarps - 1) / kWarps);
}
// A level's tiles are numbered in 32 bits. More than that are two million million cells.
inline void check_tiles(size_t tiles) {
  if (tiles <= size_t{1} << 31) return;
  throw KernelError(
      "backend cuda: a level has over 2^31 tiles of 1024 rows; take fewer rows, features or "
      "train.max_bins");
}
inline uint32_t threads_of(size_t tasks) {
  return static_cast<uint32_t>((tasks + kThreads - 1) / kThreads);
}

template <class Device, class Kernels>
class DeviceLevel {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

 public:
  explicit DeviceLevel(Device& device) : device_(device), stage_(device) {}

  // Copies the features and takes the memory that the levels of a training need.
  void bind(const Features& features, size_t largest_level) {
    const auto range = device_.range("copy bins");
    features_ = features;
    largest_ = largest_level;
    bins_.set(device_, features.matrix.bins);
    layout_.set(device_, features.layout);
    offsets_.set(device_, features.offsets);
    const std::vector<FeatureTile> tiles = feature_tiles(features.offsets);
    tiles_.set(device_, tiles);
    tile_count_ = static_cast<uint32_t>(tiles.size());
    for (Buffer<uint32_t>& rows : rows_)
      rows = device_.template allocate<uint32_t>(features.rows());
    device_.launch(Kernels::number_rows, threads_of(features.rows()), 1, rows_[kAll].data(),
                   static_cast<uint32_t>(features.rows()));
    stage_.begin(level_bytes(features.rows(), largest_level), kParts);  // takes the memory
    device_.finish();
  }

  // Takes over the rows of a level: all of them, by the bits of the splits above, or as they are.
  void begin(const Level& level) {
    if (name_of(level) == name_) return;
    const auto range = device_.range("rows");
    stage_.reset();
    columns_are_gathered_ = false;
    if (level.nodes.size() == 1 && level.nodes[0].rows.size() == features_.rows()) {
      begin_.assign(1, 0);
      now_ = kAll;
      send(level, {}, {});
    } else if (!level.left_bits.empty() && level.tree == name_.tree &&
               level.depth == name_.depth + 1) {
      split(level);
    } else {
      copy(level);
    }
    name_ = name_of(level);
  }

  // The level's bins, feature after feature.
  const uint8_t* columns() {
    uint8_t* out = columns_.of(device_, features_.rows() * features_.layout.size());
    if (!columns_are_gathered_)
      device_.launch(Kernels::gather_columns, chunk_count_,
                     static_cast<uint32_t>(features_.layout.size()), chunks_, rows(), bins_.data(),
                     static_cast<uint32_t>(features_.matrix.stride),
                     static_cast<uint32_t>(features_.rows()), out);
    columns_are_gathered_ = true;
    return out;
  }

  HistogramParams histogram_params(const GradientPair* gradients, bool all) {
    return {
        chunks_,          nodes_,    tiles_.data(), offsets_.data(),
        rows(),           gradients, bins_.data(),  static_cast<uint32_t>(features_.matrix.stride),
        features_.bins(), all};
  }

  Device& device() { return device_; }
  Stage<Device>& stage() { return stage_; }
  const Features& features() const { return features_; }
  const FeatureBins* layout() { return layout_.data(); }
  size_t largest() const { return largest_; }
  const LevelName& name() const { return name_; }
  size_t nodes() const { return name_.nodes; }
  const std::vector<uint32_t>& sizes() const { return sizes_; }  // rows of each node
  const std::vector<uint32_t>& node_ids() const { return node_ids_; }
  const NodeView* node_views() const { return nodes_; }
  const uint32_t* rows() { return now_ == kCopied ? copied_.data() : rows_[now_].data(); }
  uint32_t chunk_count() const { return chunk_count_; }
  uint32_t tile_count() const { return tile_count_; }

 private:
  static constexpr size_t kAll = 2, kCopied = 3, kParts = 4;

  static size_t level_bytes(size_t rows, size_t nodes) {
    return nodes * (sizeof(NodeView) + sizeof(uint64_t)) + rows / 8 +
           (rows / kExactRows + nodes) * sizeof(RowChunk) +
           (rows / kTile + nodes) * sizeof(PartitionTask);
  }

  // The children share their parent's range.
  void split(const Level& level) {
    std::vector<uint32_t> begin(level.nodes.size());
    std::vector<PartitionTask> tasks;
    size_t word = 0;
    for (size_t place = 0; place < level.nodes.size(); place += 2) {
      const auto parent = static_cast<size_t>(level.nodes[place].parent);
      const uint32_t from = begin_[parent], rows = sizes_[parent];
      PartitionTask task{from, 0, static_cast<uint32_t>(2 * word), from,
                         from + static_cast<uint32_t>(level.nodes[place].rows.size())};
      begin[place] = task.left;
      begin[place + 1] = task.right;
      for (uint32_t first = 0; first < rows; first += kTile) {
        task.from = from + first;
        task.rows = std::min(kTile, rows - first);
        tasks.push_back(task);
        const uint32_t lefts = count_bits(level.left_bits, word, (task.rows + 63) / 64);
        task.left += lefts;
        task.right += task.rows - lefts;
        task.word += kTile / 32;
        word += (task.rows + 63) / 64;
      }
    }
    const uint32_t* from = rows();
    now_ = now_ == 0 ? 1 : 0;
    begin_ = std::move(begin);
    const Sent sent = send(level, tasks, level.left_bits);
    device_.launch(Kernels::partition_rows, warps_of(tasks.size()), 1, sent.tasks,
                   static_cast<uint32_t>(tasks.size()), sent.bits, from, rows_[now_].data());
  }

  static uint32_t count_bits(std::span<const uint64_t> bits, size_t word, size_t words) {
    uint32_t count = 0;
    for (uint64_t w : bits.subspan(word, words)) count += static_cast<uint32_t>(std::popcount(w));
    return count;
  }

  // A level out of the blue: its rows are copied.
  void copy(const Level& level) {
    begin_.clear();
    std::vector<uint32_t> rows;
    for (const LevelNode& node : level.nodes) {
      begin_.push_back(static_cast<uint32_t>(rows.size()));
      rows.insert(rows.end(), node.rows.begin(), node.rows.end());
    }
    now_ = kCopied;
    copied_.set(device_, rows);
    send(level, {}, {});
  }

  struct Sent {
    const PartitionTask* tasks;
    const uint32_t* bits;
  };
  Sent send(const Level& level, std::span<const PartitionTask> tasks,
            std::span<const uint64_t> bits) {
    std::vector<NodeView> nodes;
    std::vector<RowChunk> chunks;
    sizes_.clear();
    node_ids_.clear();
    for (uint32_t place = 0; place < level.nodes.size(); ++place) {
      const LevelNode& node = level.nodes[place];
      const auto rows = static_cast<uint32_t>(node.rows.size());
      nodes.push_back({begin_[place], rows, static_cast<uint32_t>(node.parent),
                       is_built(level, place) ? 1u : 0u, static_cast<uint32_t>(node.node)});
      for (uint32_t first = 0; first < rows; first += kExactRows)
        chunks.push_back({begin_[place] + first, std::min(kExactRows, rows - first), place});
      sizes_.push_back(rows);
      node_ids_.push_back(static_cast<uint32_t>(node.node));
    }
    stage_.begin(nodes.size() * sizeof(NodeView) + chunks.size() * sizeof(RowChunk) +
                     tasks.size_bytes() + bits.size_bytes(),
                 kParts);
    nodes_ = stage_.add(nodes);
    chunks_ = stage_.add(chunks);
    const Sent sent{stage_.add(tasks), reinterpret_cast<const uint32_t*>(stage_.add(bits))};
    stage_.send();
    chunk_count_ = static_cast<uint32_t>(chunks.size());
    return sent;
  }

  Device& device_;
  Stage<Device> stage_;
  Features features_;
  size_t largest_ = 1;
  Kept<Device, uint8_t> bins_;
  Kept<Device, FeatureBins> layout_;
  Kept<Device, uint32_t> offsets_;
  Kept<Device, FeatureTile> tiles_;
  uint32_t tile_count_ = 0;
  Buffer<uint32_t> rows_[3];  // two that levels take in turns, and all rows
  Kept<Device, uint32_t> copied_;
  Room<Device, uint8_t> columns_;
  bool columns_are_gathered_ = false;

  LevelName name_;
  size_t now_ = kAll;
  std::vector<uint32_t> begin_, sizes_, node_ids_;  // of each node
  const NodeView* nodes_ = nullptr;
  const RowChunk* chunks_ = nullptr;
  uint32_t chunk_count_ = 0;
};

}  // namespace maskbench::kernels::device
