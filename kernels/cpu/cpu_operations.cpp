#include "kernels/cpu/cpu_operations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::kernels {

namespace {

constexpr size_t kAlign = 64;

size_t padded(size_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

size_t bits_bytes(size_t rows) {
  return padded((rows + 63) / 64 * 8);
}

size_t largest_node(const LevelRows& level) {
  size_t rows = 0;
  for (uint32_t v = 0; v < level.nodes(); ++v) rows = std::max(rows, level.size(v));
  return rows;
}

// Names the rows of a node and a feature of theirs. Between two binds a node of a tree keeps its
// rows, as it keeps its noise.
struct ColumnName {
  const uint32_t* rows = nullptr;
  size_t count = 0;
  uint32_t tree = 0;
  uint32_t node_id = 0;
  uint32_t feature = 0;
  bool operator==(const ColumnName&) const = default;
};

// What a worker keeps from call to call: the column it worked on last. Blocks of few candidates
// would else gather it again and again.
struct Worker {
  std::vector<uint8_t> column;
  ColumnName held;
};

// What an operation sees of a candidate.
struct Masked {
  size_t index;
  const uint64_t* bits;
  size_t rows;
  size_t active;
};

class Operations final : public CpuOperations {
 public:
  Operations(int threads, const CpuOps& ops)
      : own_pool_(std::make_unique<ThreadPool>(threads)), pool_(*own_pool_), ops_(ops) {}
  Operations(ThreadPool& pool, const CpuOps& ops) : pool_(pool), ops_(ops) {}

  std::string name() const override { return std::string("cpu-") + ops_.name; }
  void bind(const BinMatrix& bins) override {
    bins_ = bins;
    workers_.clear();
  }

  size_t scratch_bytes(const LevelRows& level) const override {
    return static_cast<size_t>(pool_.threads()) * bits_bytes(largest_node(level)) + kAlign;
  }

  void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
             std::span<std::byte> scratch) override {
    const auto columns = static_cast<size_t>(draw.columns);
    draw.key.visit([&](auto key) {
      each_masked(batch, scratch, [&](const Masked& m) {
        int32_t* out = b.data() + columns * batch.first_cell[m.index];
        const NoiseScale& scale = draw.scale[m.index];
        for (uint32_t k = 0; k < columns; ++k, out += m.rows) {
          if (scale.is_zero()) {
            std::fill_n(out, m.rows, 0);
          } else {
            ops_.noise(stream_of(batch, key, m.index, k), scale, m.bits, m.rows, m.active, out);
          }
        }
      });
    });
  }

  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
            const Weights& weights, int columns, const MaskedCells<int32_t>& out) override {
    mask_cells(batch, b, values, weights, columns, out, ops_.mask32);
  }
  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
            const Weights& weights, int columns, const MaskedCells<int64_t>& out) override {
    mask_cells(batch, b, values, weights, columns, out, ops_.mask64);
  }

  void aggregate(const Batch& batch, const MaskedCells<const int32_t>& masked,
                 const MaskedSums& sums, std::span<std::byte> scratch) override {
    sum_cells(batch, masked, sums, scratch, ops_.sum32);
  }
  void aggregate(const Batch& batch, const MaskedCells<const int64_t>& masked,
                 const MaskedSums& sums, std::span<std::byte> scratch) override {
    sum_cells(batch, masked, sums, scratch, ops_.sum64);
  }

  void fused(const Batch& batch, const Draw& draw, const ExactSums& exact, const Weights& weights,
             const MaskedSums& sums) override {
    add_noise(batch, draw, exact, weights, sums, 1, [&](const auto& id, size_t i) {
      return ops_.noise_sum(id, draw.scale[i].sigma2, exact.active[i]);
    });
  }

  void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums) override {
    add_noise(batch, draw, exact, weights, sums, 64, [&](const auto& id, size_t i) {
      return ops_.collapsed(id, draw.scale[i].sigma2, exact.active[i]);
    });
  }

 private:
  template <class Key>
  static StreamIdOf<Key> stream_of(const Batch& batch, Key key, size_t i, uint32_t column) {
    const ActiveSet& candidate = batch.candidates[i];
    return {key, batch.level.tree, batch.level.node_id[candidate.node], candidate.id, column};
  }

  template <class Cell>
  void mask_cells(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
                  const Weights& weights, int columns, const MaskedCells<Cell>& out,
                  void (*mask_candidate)(const MaskInput&, Cell*, Cell*)) {
    const auto width = static_cast<size_t>(columns);
    pool_.run(batch.candidates.size(), [&](size_t i, int) {
      const uint32_t node = batch.candidates[i].node;
      const size_t from = batch.level.begin[node], cell = batch.first_cell[i];
      const MaskInput input{batch.level.size(node),
                            values.g.data() + from,
                            values.h.data() + from,
                            b.data() + width * cell,
                            weights.c.data() + i * width,
                            weights.d.data() + i * width,
                            columns};
      mask_candidate(input, out.g.data() + cell, out.h.data() + cell);
    });
  }

  template <class Cell>
  void sum_cells(const Batch& batch, const MaskedCells<const Cell>& masked, const MaskedSums& sums,
                 std::span<std::byte> scratch,
                 SumPair (*sum)(const Cell*, const Cell*, const uint64_t*, size_t)) {
    each_masked(batch, scratch, [&](const Masked& m) {
      const size_t cell = batch.first_cell[m.index];
      const SumPair of_active = sum(masked.g.data() + cell, masked.h.data() + cell, m.bits, m.rows);
      sums.g[m.index] = of_active.g;
      sums.h[m.index] = of_active.h;
    });
  }

  // Adds to the exact sums what is left of the noise; noise_of(stream, candidate): m'b of a column.
  template <class NoiseOf>
  void add_noise(const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums, size_t at_once, NoiseOf noise_of) {
    const auto columns = static_cast<uint32_t>(draw.columns);
    draw.key.visit([&](auto key) {
      in_chunks(batch.candidates.size(), at_once, [&](size_t i) {
        int64_t g = exact.g[i], h = exact.h[i];
        for (uint32_t k = 0; k < columns && !draw.scale[i].is_zero(); ++k) {
          const int64_t noise = noise_of(stream_of(batch, key, i, k), i);
          g += weights.c[i * columns + k] * noise;
          h += weights.d[i * columns + k] * noise;
        }
        sums.g[i] = g;
        sums.h[i] = h;
      });
    });
  }

  // visit(i) for every i on any worker, so many at once: more if a candidate is soon done.
  template <class Visit>
  void in_chunks(size_t count, size_t at_once, Visit visit) {
    pool_.run((count + at_once - 1) / at_once, [&](size_t chunk, int) {
      const size_t end = std::min(count, (chunk + 1) * at_once);
      for (size_t i = chunk * at_once; i < end; ++i) visit(i);
    });
  }

  // Calls visit(Masked) for every candidate, on any worker.
  template <class Visit>
  void each_masked(const Batch& batch, std::span<std::byte> scratch, Visit visit) {
    const size_t rows = largest_node(batch.level);
    if (scratch.size() < scratch_bytes(batch.level)) {
      throw KernelError("scratch is smaller than scratch_bytes() of the level");
    }
    const auto start = reinterpret_cast<uintptr_t>(scratch.data());
    std::byte* aligned = scratch.data() + (padded(start) - start);
    workers_.resize(static_cast<size_t>(pool_.threads()));
    pool_.run(batch.candidates.size(), [&](size_t i, int worker) {
      const auto w = static_cast<size_t>(worker);
      auto* bits = reinterpret_cast<uint64_t*>(aligned + w * bits_bytes(rows));
      const ActiveSet& candidate = batch.candidates[i];
      const size_t n = batch.level.size(candidate.node);
      hold_column(batch.level, candidate, workers_[w]);
      visit(
          Masked{i, bits, n, ops_.active_bits(workers_[w].column.data(), n, candidate.test, bits)});
    });
  }

  void hold_column(const LevelRows& level, const ActiveSet& candidate, Worker& mine) const {
    const uint32_t* rows = level.rows.data() + level.begin[candidate.node];
    const size_t n = level.size(candidate.node);
    const ColumnName wanted{rows, n, level.tree, level.node_id[candidate.node], candidate.feature};
    if (mine.held == wanted) return;
    const uint8_t* bins = bins_.bins.data() + candidate.feature;
    if (mine.column.size() < n) mine.column.resize(n);
    for (size_t j = 0; j < n; ++j) mine.column[j] = bins[rows[j] * bins_.stride];
    mine.held = wanted;
  }

  std::unique_ptr<ThreadPool> own_pool_;
  ThreadPool& pool_;
  const CpuOps& ops_;
  BinMatrix bins_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<CpuOperations> cpu_operations(int threads, Simd simd) {
  return std::make_unique<Operations>(threads, simd == Simd::kScalar ? scalar_ops() : simd_ops());
}

std::unique_ptr<CpuOperations> cpu_operations(ThreadPool& pool, Simd simd) {
  return std::make_unique<Operations>(pool, simd == Simd::kScalar ? scalar_ops() : simd_ops());
}

}  // namespace maskbench::kernels
