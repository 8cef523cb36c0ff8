#pragma once

// The host side of the device operations, over a Device that knows how to allocate, copy, launch,
// fill, scan and find the best by key: kernels/cuda/cuda_device.cuh on a GPU, a shim in the
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
      const OnDevice block = place(batch, first, last, draw.scale);
      const Bits bits = bits_of(block);
      const size_t from = batch.first_cell[first];
      Buffer<int32_t> cells = device_.template allocate<int32_t>(columns * block.cells);
      device_.launch(Kernels::noise, block.tiles, static_cast<uint32_t>(columns), block.view(),
                     noise_params(batch, draw), bits.words.data(), bits.ranks.data(), cells.data());
      device_.download(cells, b.subspan(columns * from, columns * block.cells));
    });
  }

  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
            const Weights& weights, int columns, const MaskedCells<int32_t>& out) override {
    mask_cells(batch, b, values, weights, columns, out);
  }
  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
            const Weights& weights, int columns, const MaskedCells<int64_t>& out) override {
    mask_cells(batch, b, values, weights, columns, out);
  }

  void aggregate(const Batch& batch, const MaskedCells<const int32_t>& masked,
                 const MaskedSums& sums, std::span<std::byte>) override {
    sum_cells(batch, masked, sums);
  }
  void aggregate(const Batch& batch, const MaskedCells<const int64_t>& masked,
                 const MaskedSums& sums, std::span<std::byte>) override {
    sum_cells(batch, masked, sums);
  }

  // Tiles of ranks instead of rows: only the active ones have something left.
  void fused(const Batch& batch, const Draw& draw, const ExactSums& exact, const Weights& weights,
             const MaskedSums& sums) override {
    add_noise(
        "fused", batch, draw, exact, weights, sums,
        [&](const Buffer<Job>& jobs, const std::vector<uint32_t>& owner, const SumParams& params) {
          const auto owners = device_.upload(std::span<const uint32_t>(owner));
          const auto tiles = static_cast<uint32_t>(owner.size());
          device_.launch(device::rank_sums, (tiles + kWarps - 1) / kWarps, params.noise.columns,
                         Tiles{jobs.data(), owners.data()}, tiles, params);
        });
  }

  void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums) override {
    add_noise("collapsed", batch, draw, exact, weights, sums,
              [&](const Buffer<Job>& jobs, const std::vector<uint32_t>&, const SumParams& params) {
                const auto count = static_cast<uint32_t>(batch.candidates.size());
                device_.launch(device::collapsed, (count + kThreads - 1) / kThreads,
                               params.noise.columns, jobs.data(), count, params);
              });
  }

 private:
  // A block of candidates with what every operation needs of it.
  struct OnDevice {
    uint32_t tiles = 0;
    size_t cells = 0;
    std::vector<Job> host_jobs;  // copied late: they live as long as the block
    std::vector<uint32_t> host_owner;
    Buffer<Job> jobs;
    Buffer<uint32_t> owner;
    Buffer<uint32_t> rows;

    Tiles view() const { return {jobs.data(), owner.data()}; }
  };

  struct Bits {
    Buffer<uint32_t> words;
    Buffer<uint32_t> ranks;  // active rows in all tiles before
  };

  // Candidates [first, last) in tiles of what size_of(candidate) counts, and the owner of each
  // tile. Without scales: for operations that draw nothing.
  template <class SizeOf>
  static std::vector<Job> make_jobs(const Batch& batch, size_t first, size_t last,
                                    std::span<const NoiseScale> scale, SizeOf size_of,
                                    std::vector<uint32_t>& owner) {
    std::vector<Job> jobs;
    for (size_t i = first; i < last; ++i) {
      const ActiveSet& c = batch.candidates[i];
      jobs.push_back({batch.level.begin[c.node], static_cast<uint32_t>(batch.level.size(c.node)),
                      static_cast<uint32_t>(owner.size()), batch.level.node_id[c.node], c.id,
                      c.feature, c.test, scale.empty() ? NoiseScale{} : scale[i],
                      batch.first_cell[i] - batch.first_cell[first]});
      owner.insert(owner.end(), (size_of(i) + kTile - 1) / kTile, static_cast<uint32_t>(i - first));
    }
    return jobs;
  }

  OnDevice place(const Batch& batch, size_t first, size_t last,
                 std::span<const NoiseScale> scale = {}) {
    OnDevice block;
    const auto rows_of = [&](size_t i) { return batch.level.size(batch.candidates[i].node); };
    block.host_jobs = make_jobs(batch, first, last, scale, rows_of, block.host_owner);
    block.tiles = static_cast<uint32_t>(block.host_owner.size());
    block.cells = batch.first_cell[last] - batch.first_cell[first];
    block.jobs = device_.upload(std::span<const Job>(block.host_jobs));
    block.owner = device_.upload(std::span<const uint32_t>(block.host_owner));
    block.rows = device_.upload(batch.level.rows);
    return block;
  }

  template <class Cell>
  void mask_cells(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
                  const Weights& weights, int columns, const MaskedCells<Cell>& out) {
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
      auto out_g = device_.template allocate<Cell>(block.cells);
      auto out_h = device_.template allocate<Cell>(block.cells);
      const MaskParams params{g.data(), h.data(), c.data(), d.data(),
                              static_cast<uint32_t>(columns)};
      device_.launch(device::mask<Cell>, block.tiles, 1, block.view(), params, cells.data(),
                     out_g.data(), out_h.data());
      device_.download(out_g, out.g.subspan(from, block.cells));
      device_.download(out_h, out.h.subspan(from, block.cells));
    });
  }

  template <class Cell>
  void sum_cells(const Batch& batch, const MaskedCells<const Cell>& masked,
                 const MaskedSums& sums) {
    in_blocks(batch, [&](size_t first, size_t last) {
      const auto range = device_.range("aggregate");
      const OnDevice block = place(batch, first, last);
      const Bits bits = bits_of(block);
      const size_t from = batch.first_cell[first], count = last - first;
      const auto g = device_.upload(masked.g.subspan(from, block.cells));
      const auto h = device_.upload(masked.h.subspan(from, block.cells));
      auto sums_g = device_.template allocate<int64_t>(count);
      auto sums_h = device_.template allocate<int64_t>(count);
      device_.fill(sums_g, count, int64_t{0});
      device_.fill(sums_h, count, int64_t{0});
      device_.launch(device::sum_masked<Cell>, block.tiles, 1, block.view(), bits.words.data(),
                     g.data(), h.data(), sums_g.data(), sums_h.data());
      device_.download(sums_g, sums.g.subspan(first, count));
      device_.download(sums_h, sums.h.subspan(first, count));
    });
  }

  // launch(jobs, owner of each tile of ranks, params) adds what is left of the noise.
  template <class Launch>
  void add_noise(const char* what, const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums, Launch launch) {
    const auto range = device_.range(what);
    const size_t count = batch.candidates.size();
    if (count == 0) return;
    std::vector<uint32_t> owner;
    const auto active_of = [&](size_t i) { return size_t{exact.active[i]}; };
    const std::vector<Job> host_jobs =
        make_jobs(batch, 0, count, draw.scale, active_of, owner);  // copied late
    const auto jobs = device_.upload(std::span<const Job>(host_jobs));
    const auto active = device_.upload(exact.active);
    const auto c = device_.upload(weights.c);
    const auto d = device_.upload(weights.d);
    auto sums_g = device_.upload(exact.g);
    auto sums_h = device_.upload(exact.h);
    launch(jobs, owner,
           SumParams{noise_params(batch, draw), active.data(), c.data(), d.data(), sums_g.data(),
                     sums_h.data()});
    device_.download(sums_g, sums.g);
    device_.download(sums_h, sums.h);
    device_.finish();
  }

  Bits bits_of(const OnDevice& block) {
    Bits bits{device_.template allocate<uint32_t>(size_t{block.tiles} * kTileWords),
              device_.template allocate<uint32_t>(size_t{block.tiles} + 1)};
    auto counts = device_.template allocate<uint32_t>(size_t{block.tiles} + 1);
    device_.fill(counts, size_t{block.tiles} + 1, 0u);  // the last one is scanned, not counted
    device_.launch(device::active_bits, block.tiles, 1, block.view(), block.rows.data(),
                   bins_.data(), stride_, bits.words.data(), counts.data());
    device_.exclusive_scan(counts, bits.ranks, size_t{block.tiles} + 1);
    return bits;
  }

  static NoiseParams noise_params(const Batch& batch, const Draw& draw) {
    return {draw.key.philox(), batch.level.tree, static_cast<uint32_t>(draw.columns)};
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
