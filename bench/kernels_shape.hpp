#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/cpu_operations.hpp"

namespace maskbench::kernels {

// One node of n rows with l candidates (32 bins a feature), and room for one block of them.
class Shape {
 public:
  Shape(size_t n, size_t l, int columns)
      : draw{{11, 12}, columns, {}},
        stride_((l + 31) / 32),
        bins_(n * stride_),
        rows_(n),
        begin_{0, static_cast<uint32_t>(n)},
        g_(n),
        h_(n),
        first_cell_(l + 1),
        c_(l * static_cast<size_t>(columns), columns == 1 ? 1 : 3),
        d_(l * static_cast<size_t>(columns), columns == 1 ? -1 : -5),
        scale_(l, noise_scale(9000, 4500)),
        sum_g_(l),
        sum_h_(l) {
    std::minstd_rand rng(1);
    for (uint8_t& bin : bins_) bin = static_cast<uint8_t>(rng() >> 8 & 31);
    for (uint32_t j = 0; j < n; ++j) {
      rows_[j] = j;
      g_[j] = static_cast<int32_t>(rng() & 0xfffff) - (1 << 19);
      h_[j] = static_cast<int32_t>(rng() & 0x3ffff);
    }
    for (uint32_t i = 0; i < l; ++i) {
      candidates_.push_back(
          {0, i, static_cast<uint16_t>(i / 32), {static_cast<uint8_t>(i % 32), -1, false, false}});
    }
    lay_out(level(), candidates_, first_cell_);
    draw.scale = scale_;
    find_exact_sums();
  }

  LevelRows level() const { return {0, rows_, begin_, node_id_}; }
  RowValues values() const { return {g_, h_}; }
  BinMatrix bins() const { return {bins_, stride_}; }
  size_t candidates() const { return candidates_.size(); }
  size_t cells() const { return first_cell_.back(); }
  MaskedSums sums() { return {sum_g_, sum_h_}; }
  MaskedSums sums(size_t first, size_t count) {
    return {std::span(sum_g_).subspan(first, count), std::span(sum_h_).subspan(first, count)};
  }
  const std::vector<int64_t>& sum_g() const { return sum_g_; }
  ExactSums exact() const { return {active_, exact_g_, exact_h_}; }

  // Candidates [first, first + count) as a batch of their own.
  Batch batch(size_t first, size_t count) const {
    return {level(), std::span(candidates_).subspan(first, count),
            std::span(first_cell_).first(count + 1)};  // all candidates have n rows
  }
  Weights weights(size_t first, size_t count) const {
    const auto width = static_cast<size_t>(draw.columns);
    return {std::span(c_).subspan(first * width, count * width),
            std::span(d_).subspan(first * width, count * width)};
  }

  Draw draw;

 private:
  // Candidates of a feature are nested: a bin's rows belong to all from its own on.
  void find_exact_sums() {
    active_.resize(candidates_.size());
    exact_g_.resize(candidates_.size());
    exact_h_.resize(candidates_.size());
    for (size_t i = 0; i < candidates_.size(); ++i) {
      for (size_t j = 0; j < rows_.size(); ++j) {
        if (bins_[j * stride_ + candidates_[i].feature] != candidates_[i].test.bin) continue;
        ++active_[i];
        exact_g_[i] += g_[j];
        exact_h_[i] += h_[j];
      }
      if (i % 32 == 0) continue;
      active_[i] += active_[i - 1];
      exact_g_[i] += exact_g_[i - 1];
      exact_h_[i] += exact_h_[i - 1];
    }
  }

  size_t stride_;
  std::vector<uint8_t> bins_;
  std::vector<uint32_t> rows_, begin_, node_id_{1};
  std::vector<int32_t> g_, h_;
  std::vector<ActiveSet> candidates_;
  std::vector<size_t> first_cell_;
  std::vector<int32_t> c_, d_;
  std::vector<NoiseScale> scale_;
  std::vector<uint32_t> active_;
  std::vector<int64_t> exact_g_, exact_h_;
  std::vector<int64_t> sum_g_, sum_h_;
};

// Where a block of candidates is materialised.
struct BlockBuffers {
  std::vector<int32_t> b, g, h;

  // Only ever grows: a vector that grows again would fill itself with zeros.
  void reserve(size_t cells, int columns) {
    if (cells <= g.size()) return;
    b.resize(cells * static_cast<size_t>(columns));
    g.resize(cells);
    h.resize(cells);
  }
};

enum Phase : unsigned { kNoise = 1, kMask = 2, kAggregate = 4, kAll = 7 };

// The materialised mode over all candidates, block by block; only the phases asked for.
inline void materialise(CpuOperations& backend, Shape& shape, BlockBuffers& buffers,
                        std::span<std::byte> scratch, const BlockLimits& limits, unsigned phases) {
  const Batch all = shape.batch(0, shape.candidates());
  for (size_t first = 0; first < shape.candidates();) {
    const size_t cell_bytes = 4 * static_cast<size_t>(shape.draw.columns) + 8;
    const size_t count = plan_block(all.level, all.candidates, first, cell_bytes, limits);
    const Batch block = shape.batch(first, count);
    Draw draw = shape.draw;
    draw.scale = draw.scale.subspan(first, count);
    buffers.reserve(block.cells(), shape.draw.columns);
    if (phases & kNoise) backend.noise(block, draw, buffers.b, scratch);
    if (phases & kMask) {
      backend.mask(block, buffers.b, shape.values(), shape.weights(first, count),
                   shape.draw.columns, MaskedCells<int32_t>{buffers.g, buffers.h});
    }
    if (phases & kAggregate) {
      backend.aggregate(block, MaskedCells<const int32_t>{buffers.g, buffers.h},
                        shape.sums(first, count), scratch);
    }
    first += count;
  }
}

}  // namespace maskbench::kernels
