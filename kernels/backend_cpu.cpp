#include <algorithm>
#include <utility>

#include "kernels/backend.hpp"
#include "kernels/cpu_ops.hpp"
#include "kernels/normal64.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::kernels {

namespace {

constexpr size_t kAlign = 64;

size_t padded(size_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

size_t largest_node(const Level& level) {
  size_t rows = 0;
  for (uint32_t v = 0; v < level.nodes(); ++v) rows = std::max(rows, level.size(v));
  return rows;
}

// One worker's part of the scratch: the column of the node and feature it worked on last, and the
// bits of one candidate.
struct WorkerScratch {
  uint8_t* column;
  uint64_t* bits;
  std::pair<uint32_t, uint32_t> held{~0u, ~0u};  // node, feature
};

size_t worker_bytes(size_t rows) {
  return kAlign + padded(rows) + padded((rows + 63) / 64 * 8);
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, const CpuOps& ops) : pool_(threads), ops_(ops) {}

  std::string name() const override { return std::string("cpu-") + ops_.name; }
  void bind(const BinMatrix& bins) override { bins_ = bins; }

  size_t scratch_bytes(const Level& level) const override {
    return static_cast<size_t>(pool_.threads()) * worker_bytes(largest_node(level)) + kAlign;
  }

  void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
             std::span<std::byte> scratch) override {
    const auto columns = static_cast<size_t>(draw.columns);
    each_masked(batch, scratch, [&](size_t i, const uint64_t* bits, size_t n, size_t active) {
      int32_t* out = b.data() + columns * batch.first_cell[i];
      for (uint32_t k = 0; k < columns; ++k, out += n) {
        if (draw.scale.sigma2 == 0) {
          std::fill_n(out, n, 0);
        } else {
          ops_.noise(stream_of(batch, draw, i, k), draw.scale, bits, n, active, out);
        }
      }
    });
  }

  void mask(const Batch& batch, std::span<const int32_t> b, const Values& values,
            const Weights& weights, int columns, std::span<int64_t> masked_g,
            std::span<int64_t> masked_h) override {
    const auto width = static_cast<size_t>(columns);
    pool_.run(batch.candidates.size(), [&](size_t i, int) {
      const uint32_t node = batch.candidates[i].node;
      const size_t from = batch.level.begin[node];
      const size_t cell = batch.first_cell[i];
      const MaskInput input{batch.level.size(node),
                            values.g.data() + from,
                            values.h.data() + from,
                            b.data() + width * cell,
                            weights.c.data() + i * width,
                            weights.d.data() + i * width,
                            columns,
                            weights.shift};
      ops_.mask(input, masked_g.data() + cell, masked_h.data() + cell);
    });
  }

  void aggregate(const Batch& batch, std::span<const int64_t> masked_g,
                 std::span<const int64_t> masked_h, const MaskedSums& sums,
                 std::span<std::byte> scratch) override {
    each_masked(batch, scratch, [&](size_t i, const uint64_t* bits, size_t n, size_t) {
      sums.g[i] = ops_.sum64(masked_g.data() + batch.first_cell[i], bits, n);
      sums.h[i] = ops_.sum64(masked_h.data() + batch.first_cell[i], bits, n);
    });
  }

  void fused(const Batch& batch, const Draw& draw, const Values& values, const Weights& weights,
             const MaskedSums& sums, std::span<std::byte> scratch) override {
    const auto columns = static_cast<uint32_t>(draw.columns);
    each_masked(batch, scratch, [&](size_t i, const uint64_t* bits, size_t n, size_t active) {
      const size_t from = batch.level.begin[batch.candidates[i].node];
      const int32_t* g = values.g.data() + from;
      const int32_t* h = values.h.data() + from;
      if (draw.scale.sigma2 == 0) {
        const SumPair exact = ops_.sum32(g, h, bits, n);
        sums.g[i] = exact.g * (int64_t{1} << weights.shift);
        sums.h[i] = exact.h * (int64_t{1} << weights.shift);
        return;
      }
      int64_t sum_g = 0;
      int64_t sum_h = 0;
      for (uint32_t k = 0; k < columns; ++k) {
        const FusedSums part = ops_.fused(stream_of(batch, draw, i, k), draw.scale, bits, n, active,
                                          k == 0 ? g : nullptr, k == 0 ? h : nullptr);
        sum_g += part.value.g * (int64_t{1} << weights.shift) + weights.c[i * columns + k] * part.b;
        sum_h += part.value.h * (int64_t{1} << weights.shift) + weights.d[i * columns + k] * part.b;
      }
      sums.g[i] = sum_g;
      sums.h[i] = sum_h;
    });
  }

  void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                 const Weights& weights, const MaskedSums& sums) override {
    const auto columns = static_cast<uint32_t>(draw.columns);
    pool_.run(batch.candidates.size(), [&](size_t i, int) {
      sums.g[i] = exact.g[i] * (int64_t{1} << weights.shift);
      sums.h[i] = exact.h[i] * (int64_t{1} << weights.shift);
      for (uint32_t k = 0; k < columns; ++k) {
        const int64_t noise =
            collapsed_draw(stream_of(batch, draw, i, k), draw.scale.sigma2, exact.active[i]);
        sums.g[i] += weights.c[i * columns + k] * noise;
        sums.h[i] += weights.d[i * columns + k] * noise;
      }
    });
  }

  void count_active(const Batch& batch, std::span<uint32_t> active,
                    std::span<std::byte> scratch) override {
    each_masked(batch, scratch, [&](size_t i, const uint64_t*, size_t, size_t count) {
      active[i] = static_cast<uint32_t>(count);
    });
  }

 private:
  static StreamId stream_of(const Batch& batch, const Draw& draw, size_t i, uint32_t column) {
    const Candidate& candidate = batch.candidates[i];
    return {draw.key, batch.level.tree, batch.level.node_id[candidate.node], candidate.id, column};
  }

  // Calls visit(candidate, bits, rows, active rows) for every candidate, on any worker.
  template <class Visit>
  void each_masked(const Batch& batch, std::span<std::byte> scratch, Visit visit) {
    const size_t rows = largest_node(batch.level);
    if (scratch.size() < scratch_bytes(batch.level)) {
      throw KernelError("scratch is smaller than scratch_bytes() of the level");
    }
    const auto start = reinterpret_cast<uintptr_t>(scratch.data());
    std::byte* aligned = scratch.data() + (padded(start) - start);
    const auto worker_scratch = [&](int worker) {
      std::byte* mine = aligned + static_cast<size_t>(worker) * worker_bytes(rows);
      return reinterpret_cast<WorkerScratch*>(mine);
    };
    for (int w = 0; w < pool_.threads(); ++w) {
      auto* column = reinterpret_cast<uint8_t*>(worker_scratch(w)) + kAlign;
      auto* bits = reinterpret_cast<uint64_t*>(column + padded(rows));
      new (worker_scratch(w)) WorkerScratch{column, bits};
    }
    pool_.run(batch.candidates.size(), [&](size_t i, int worker) {
      WorkerScratch& mine = *worker_scratch(worker);
      const Candidate& candidate = batch.candidates[i];
      const size_t n = batch.level.size(candidate.node);
      hold_column(batch.level, candidate, mine);
      visit(i, mine.bits, n, ops_.active_bits(mine.column, n, candidate.test, mine.bits));
    });
  }

  void hold_column(const Level& level, const Candidate& candidate, WorkerScratch& mine) const {
    const std::pair<uint32_t, uint32_t> wanted{candidate.node, candidate.feature};
    if (mine.held == wanted) return;
    const uint32_t* rows = level.rows.data() + level.begin[candidate.node];
    const uint8_t* bins = bins_.bins.data() + candidate.feature;
    const size_t n = level.size(candidate.node);
    for (size_t j = 0; j < n; ++j) mine.column[j] = bins[rows[j] * bins_.stride];
    mine.held = wanted;
  }

  ThreadPool pool_;
  const CpuOps& ops_;
  BinMatrix bins_;
};

}  // namespace

std::unique_ptr<Backend> cpu_backend(int threads, Simd simd) {
  return std::make_unique<CpuBackend>(threads, simd == Simd::kScalar ? scalar_ops() : simd_ops());
}

}  // namespace maskbench::kernels
