#pragma once

// The host side of the device operations, over a Device that knows how to allocate, copy, launch,
// fill, scan, sum and find the best by key: kernels/cuda/cuda_device.cuh on a GPU, a shim in the
// tests.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/device_search.hpp"
#include "kernels/cuda/sums.cuh"

namespace maskbench::kernels::device {

struct OutOfDeviceMemory : KernelError {
  using KernelError::KernelError;
};

// Which kernels to launch; a test puts a broken one in its place.
struct DefaultKernels {
  static constexpr auto noise = device::noise;
  static constexpr auto histogram = device::histogram;
  static constexpr auto scan_score = device::scan_score;
};

template <class Device, class Kernels = DefaultKernels>
class DeviceBackend final : public Backend {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

 public:
  explicit DeviceBackend(Device device) : device_(std::move(device)), search_(device_) {}
  DeviceBackend(const DeviceBackend&) = delete;

  std::string name() const override { return device_.name(); }
  size_t scratch_bytes(const LevelRows&) const override { return 0; }

  void bind(const BinMatrix& bins) override {
    const auto range = device_.range("copy bins");
    stride_ = bins.stride;
    bins_ = device_.upload(bins.bins);
    device_.finish();  // both streams use it
  }

  void bind_gradients(std::span<const GradientPair> gradients) override {
    search_.bind_gradients(gradients);
  }

  void histogram(std::span<const uint32_t> offsets, std::span<const NodeRows> nodes) override {
    in_halves("node", 0, nodes.size(), [&](size_t first, size_t last) {
      search_.histogram(bins_, stride_, offsets, nodes.subspan(first, last - first));
    });
  }

  void score_histograms(const HistogramScores& input, std::span<BestCandidate> best) override {
    std::fill(best.begin(), best.end(), BestCandidate{});
    in_halves("node", 0, best.size(), [&](size_t first, size_t last) {
      search_.score_histograms(input, first, best.subspan(first, last - first));
    });
  }

  void score(const ScoreInput& input, std::span<BestCandidate> best) override {
    std::fill(best.begin(), best.end(), BestCandidate{});
    in_halves("candidate", 0, input.node.size(),
              [&](size_t first, size_t last) { search_.score(input, first, last, best); });
  }

  void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
             std::span<std::byte>) override {
    const auto columns = static_cast<size_t>(draw.columns);
    in_blocks(batch, [&](size_t first, size_t last) {
      const auto range = device_.range("noise");
      const OnDevice block = place(batch, first, last);
      const size_t from = batch.first_cell[first];
      Buffer<int32_t> cells = device_.template allocate<int32_t>(columns * block.cells);
      draw_noise(batch, draw, block, bits_of(block), cells.data(), nullptr);
      device_.download(cells, b.subspan(columns * from, columns * block.cells));
    });
  }

  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
            const Weights& weights, int columns, std::span<int64_t> masked_g,
            std::span<int64_t> masked_h) override {
    const auto width = static_cast<size_t>(columns);
    in_blocks(batch, [&](size_t first, size_t last) {
      const auto range = device_.range("mask");
      const OnDevice block = place(batch, first, last);
      const size_t from = batch.first_cell[first];
      const auto cells = device_.upload(b.subspan(width * from, width * block.cells));
      const auto g = device_.upload(values.g);
      const auto h = device_.upload(values.h);
      const auto c = device_.upload(weights.c.subspan(width * first, width * (last - first)));
      const auto d = device_.upload(weights.d.subspan(width * first, width * (last - first)));
      auto out_g = device_.template allocate<int64_t>(block.cells);
      auto out_h = device_.template allocate<int64_t>(block.cells);
      const MaskParams params{
          g.data(), h.data(), c.data(), d.data(), static_cast<uint32_t>(columns), weights.shift};
      device_.launch(device::mask, block.tiles, 1, block.view(), params, cells.data(), out_g.data(),
                     out_h.data());
      device_.download(out_g, masked_g.subspan(from, block.cells));
      device_.download(out_h, masked_h.subspan(from, block.cells));
    });
  }

  void aggregate(const Batch& batch, std::span<const int64_t> masked_g,
                 std::span<const int64_t> masked_h, const MaskedSums& sums,
                 std::span<std::byte>) override {
    in_blocks(batch, [&](size_t first, size_t last) {
      const auto range = device_.range("aggregate");
      const OnDevice block = place(batch, first, last);
      const Bits bits = bits_of(block);
      const size_t from = batch.first_cell[first];
      const auto g = device_.upload(masked_g.subspan(from, block.cells));
      const auto h = device_.upload(masked_h.subspan(from, block.cells));
      auto tile_sums = device_.template allocate<int64_t>(2 * size_t{block.tiles});
      device_.launch(device::sum_masked, block.tiles, 1, block.view(), bits.words.data(), g.data(),
                     h.data(), tile_sums.data());
      segment_sums(block, tile_sums.data(), sums.g.subspan(first, last - first));
      segment_sums(block, tile_sums.data() + block.tiles, sums.h.subspan(first, last - first));
    });
  }

  void fused(const Batch& batch, const Draw& draw, const RowValues& values, const Weights& weights,
             const MaskedSums& sums, std::span<std::byte>) override {
    const auto columns = static_cast<size_t>(draw.columns);
    in_blocks(batch, [&](size_t first, size_t last) {
      const auto range = device_.range("fused");
      const OnDevice block = place(batch, first, last);
      const Bits bits = bits_of(block);
      const auto g = device_.upload(values.g);
      const auto h = device_.upload(values.h);
      auto tile_sums = device_.template allocate<int64_t>((2 + columns) * block.tiles);
      int64_t* noise_sums = tile_sums.data() + 2 * size_t{block.tiles};
      device_.launch(device::sum_values, block.tiles, 1, block.view(), bits.words.data(), g.data(),
                     h.data(), tile_sums.data());
      draw_noise(batch, draw, block, bits, nullptr, noise_sums);
      const size_t count = last - first;
      segment_sums(block, tile_sums.data(), sums.g.subspan(first, count));
      segment_sums(block, tile_sums.data() + block.tiles, sums.h.subspan(first, count));
      std::vector<int64_t> noise_sum(columns * count);
      for (size_t k = 0; k < columns; ++k) {
        segment_sums(block, noise_sums + k * block.tiles,
                     std::span(noise_sum).subspan(k * count, count));
      }
      for (size_t i = 0; i < count; ++i) {
        int64_t& out_g = sums.g[first + i];
        int64_t& out_h = sums.h[first + i];
        out_g *= int64_t{1} << weights.shift;
        out_h *= int64_t{1} << weights.shift;
        for (size_t k = 0; k < columns; ++k) {
          out_g += weights.c[(first + i) * columns + k] * noise_sum[k * count + i];
          out_h += weights.d[(first + i) * columns + k] * noise_sum[k * count + i];
        }
      }
    });
  }

  void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums) override {
    const auto range = device_.range("collapsed");
    const size_t count = batch.candidates.size();
    if (count == 0) return;
    const auto jobs = device_.upload(std::span<const Job>(make_jobs(batch, 0, count)));
    const auto active = device_.upload(exact.active);
    const auto g = device_.upload(exact.g);
    const auto h = device_.upload(exact.h);
    const auto c = device_.upload(weights.c);
    const auto d = device_.upload(weights.d);
    auto out_g = device_.template allocate<int64_t>(count);
    auto out_h = device_.template allocate<int64_t>(count);
    const CollapsedParams params{noise_params(batch, draw),
                                 active.data(),
                                 g.data(),
                                 h.data(),
                                 c.data(),
                                 d.data(),
                                 weights.shift};
    const auto blocks = static_cast<uint32_t>((count + kThreads - 1) / kThreads);
    device_.launch(device::collapsed, blocks, 1, jobs.data(), static_cast<uint32_t>(count), params,
                   out_g.data(), out_h.data());
    device_.download(out_g, sums.g);
    device_.download(out_h, sums.h);
  }

  void count_active(const Batch& batch, std::span<uint32_t> active, std::span<std::byte>) override {
    in_blocks(batch, [&](size_t first, size_t last) {
      const OnDevice block = place(batch, first, last);
      const Bits bits = bits_of(block);
      std::vector<uint32_t> ranks(size_t{block.tiles} + 1);
      device_.download(bits.ranks, std::span(ranks));
      for (size_t i = first; i < last; ++i) {
        active[i] = ranks[block.first_tile[i - first + 1]] - ranks[block.first_tile[i - first]];
      }
    });
  }

 private:
  // A block of candidates with what every operation needs of it.
  struct OnDevice {
    uint32_t tiles = 0;
    size_t cells = 0;
    std::vector<uint32_t> first_tile;  // of each candidate, and the end
    Buffer<Job> jobs;
    Buffer<uint32_t> owner;
    Buffer<uint32_t> tile_begin;
    Buffer<uint32_t> rows;

    Tiles view() const { return {jobs.data(), owner.data()}; }
  };

  struct Bits {
    Buffer<uint32_t> words;
    Buffer<uint32_t> ranks;  // active rows in all tiles before
  };

  static std::vector<Job> make_jobs(const Batch& batch, size_t first, size_t last) {
    std::vector<Job> jobs;
    uint32_t tile = 0;
    for (size_t i = first; i < last; ++i) {
      const ActiveSet& c = batch.candidates[i];
      const auto rows = static_cast<uint32_t>(batch.level.size(c.node));
      jobs.push_back({batch.level.begin[c.node], rows, tile, batch.level.node_id[c.node], c.id,
                      c.feature, c.test, batch.first_cell[i] - batch.first_cell[first]});
      tile += (rows + kTile - 1) / kTile;
    }
    return jobs;
  }

  OnDevice place(const Batch& batch, size_t first, size_t last) {
    OnDevice block;
    const std::vector<Job> jobs = make_jobs(batch, first, last);
    std::vector<uint32_t> owner;
    for (uint32_t i = 0; i < jobs.size(); ++i) {
      block.first_tile.push_back(jobs[i].first_tile);
      owner.insert(owner.end(), (jobs[i].rows + kTile - 1) / kTile, i);
    }
    block.tiles = static_cast<uint32_t>(owner.size());
    block.first_tile.push_back(block.tiles);
    block.cells = batch.first_cell[last] - batch.first_cell[first];
    block.jobs = device_.upload(std::span<const Job>(jobs));
    block.owner = device_.upload(std::span<const uint32_t>(owner));
    block.tile_begin = device_.upload(std::span<const uint32_t>(block.first_tile));
    block.rows = device_.upload(batch.level.rows);
    return block;
  }

  Bits bits_of(const OnDevice& block) {
    Bits bits{device_.template allocate<uint32_t>(size_t{block.tiles} * kTileWords),
              device_.template allocate<uint32_t>(size_t{block.tiles} + 1)};
    auto counts = device_.template allocate<uint32_t>(size_t{block.tiles} + 1);
    device_.launch(device::active_bits, block.tiles, 1, block.view(), block.rows.data(),
                   bins_.data(), stride_, bits.words.data(), counts.data());
    device_.exclusive_scan(counts, bits.ranks, size_t{block.tiles} + 1);
    return bits;
  }

  static NoiseParams noise_params(const Batch& batch, const Draw& draw) {
    return {draw.key, draw.scale, batch.level.tree, static_cast<uint32_t>(draw.columns)};
  }

  void draw_noise(const Batch& batch, const Draw& draw, const OnDevice& block, const Bits& bits,
                  int32_t* b, int64_t* tile_sums) {
    device_.launch(Kernels::noise, block.tiles, static_cast<uint32_t>(draw.columns), block.view(),
                   noise_params(batch, draw), bits.words.data(), bits.ranks.data(), b, tile_sums);
  }

  void segment_sums(const OnDevice& block, const int64_t* tile_sums, std::span<int64_t> out) {
    auto sums = device_.template allocate<int64_t>(out.size());
    device_.segment_sums(tile_sums, block.tile_begin, out.size(), sums);
    device_.download(sums, out);
  }

  // Two blocks, one for each stream. Out of memory: halves of a block, down to one candidate; then
  // an error that says so.
  template <class Work>
  void in_blocks(const Batch& batch, Work work) {
    const size_t count = batch.candidates.size();
    in_halves("candidate", 0, count / 2, work);
    in_halves("candidate", count / 2, count, work);
    device_.finish();
  }

  template <class Work>
  void in_halves(const char* what, size_t first, size_t last, const Work& work) {
    if (first == last) return;
    try {
      device_.next_lane();
      work(first, last);
      return;
    } catch (const OutOfDeviceMemory& error) {
      if (last - first == 1) {
        throw KernelError("backend " + name() + ": one " + what +
                          " alone does not fit the device: " + error.what());
      }
    }
    const size_t middle = first + (last - first) / 2;
    in_halves(what, first, middle, work);
    in_halves(what, middle, last, work);
  }

  Device device_;
  DeviceSearch<Device, Kernels> search_;
  Buffer<uint8_t> bins_;
  size_t stride_ = 0;
};

}  // namespace maskbench::kernels::device
