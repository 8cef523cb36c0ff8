#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cpu/cpu_histogram.hpp"
#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/parallel.hpp"
#include "kernels/random/normal64.hpp"
#include "kernels/split_scan.hpp"

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

// m'g and m'h of any candidate of a feature come from the feature's histogram: the exact sums cost
// one pass a feature, not one a candidate.
struct FeatureSums {
  SumPair bin[256];
  size_t bins = 0;

  void fill(const uint8_t* column, const int32_t* g, const int32_t* h, size_t n) {
    std::fill(std::begin(bin), std::end(bin), SumPair{});
    uint8_t largest = 0;
    for (size_t j = 0; j < n; ++j) {
      bin[column[j]].g += g[j];
      bin[column[j]].h += h[j];
      largest = std::max(largest, column[j]);
    }
    bins = size_t{largest} + 1;
  }

  SumPair active(const RowTest& test) const {
    SumPair sum;
    for (size_t v = 0; v < bins; ++v) {
      if (!is_active(test, static_cast<uint8_t>(v))) continue;
      sum.g += bin[v].g;
      sum.h += bin[v].h;
    }
    return sum;
  }
};

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
  FeatureSums sums;       // of the held column, ...
  bool has_sums = false;  // ... if values were asked for in this call
};

// What an operation sees of a candidate.
struct Masked {
  size_t index;
  const uint64_t* bits;
  size_t rows;
  size_t active;
  const FeatureSums& sums;
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, const CpuOps& ops)
      : own_pool_(std::make_unique<ThreadPool>(threads)), pool_(*own_pool_), ops_(ops) {}
  CpuBackend(ThreadPool& pool, const CpuOps& ops) : pool_(pool), ops_(ops) {}

  std::string name() const override { return std::string("cpu-") + ops_.name; }
  void bind(const BinMatrix& bins) override {
    bins_ = bins;
    workers_.clear();
  }
  void bind_gradients(std::span<const GradientPair> gradients) override { gradients_ = gradients; }

  void histogram(std::span<const uint32_t> offsets, std::span<const NodeRows> nodes) override {
    histograms_.build(bins_, offsets, gradients_, nodes, pool_);
  }

  void score_histograms(const HistogramScores& input, std::span<BestCandidate> best) override {
    const size_t bins = input.features.back().offset + input.features.back().bins();
    pool_.run(best.size(), [&](size_t node, int) {
      best[node] = best_in_histogram(input.features, input.histograms.data() + node * bins,
                                     input.step, input.params);
    });
  }

  void score(const ScoreInput& input, std::span<BestCandidate> best) override {
    std::fill(best.begin(), best.end(), BestCandidate{});
    for (uint32_t i = 0; i < input.node.size();) {
      const uint32_t node = input.node[i];
      const NodeScorer score_of(input.total[node], input.step, input.params);
      for (; i < input.node.size() && input.node[i] == node; ++i) {
        best[node].consider(score_of(input.left[i]), i);
      }
    }
  }

  size_t scratch_bytes(const LevelRows& level) const override {
    return static_cast<size_t>(pool_.threads()) * bits_bytes(largest_node(level)) + kAlign;
  }

  void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
             std::span<std::byte> scratch) override {
    const auto columns = static_cast<size_t>(draw.columns);
    each_masked(batch, nullptr, scratch, [&](const Masked& m) {
      int32_t* out = b.data() + columns * batch.first_cell[m.index];
      for (uint32_t k = 0; k < columns; ++k, out += m.rows) {
        if (draw.scale.sigma2 == 0) {
          std::fill_n(out, m.rows, 0);
        } else {
          ops_.noise(stream_of(batch, draw, m.index, k), draw.scale, m.bits, m.rows, m.active, out);
        }
      }
    });
  }

  void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
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
    each_masked(batch, nullptr, scratch, [&](const Masked& m) {
      const size_t cell = batch.first_cell[m.index];
      const SumPair sum =
          ops_.sum64(masked_g.data() + cell, masked_h.data() + cell, m.bits, m.rows);
      sums.g[m.index] = sum.g;
      sums.h[m.index] = sum.h;
    });
  }

  void fused(const Batch& batch, const Draw& draw, const RowValues& values, const Weights& weights,
             const MaskedSums& sums, std::span<std::byte> scratch) override {
    const auto columns = static_cast<uint32_t>(draw.columns);
    each_masked(batch, &values, scratch, [&](const Masked& m) {
      const SumPair exact = m.sums.active(batch.candidates[m.index].test);
      int64_t g = exact.g * (int64_t{1} << weights.shift);
      int64_t h = exact.h * (int64_t{1} << weights.shift);
      for (uint32_t k = 0; k < columns && draw.scale.sigma2 > 0; ++k) {
        const StreamId id = stream_of(batch, draw, m.index, k);
        const int64_t noise = ops_.noise_sum(id, draw.scale, m.bits, m.rows, m.active);
        g += weights.c[m.index * columns + k] * noise;
        h += weights.d[m.index * columns + k] * noise;
      }
      sums.g[m.index] = g;
      sums.h[m.index] = h;
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
    each_masked(batch, nullptr, scratch,
                [&](const Masked& m) { active[m.index] = static_cast<uint32_t>(m.active); });
  }

 private:
  static StreamId stream_of(const Batch& batch, const Draw& draw, size_t i, uint32_t column) {
    const ActiveSet& candidate = batch.candidates[i];
    return {draw.key, batch.level.tree, batch.level.node_id[candidate.node], candidate.id, column};
  }

  // Calls visit(Masked) for every candidate, on any worker; with values, sums are filled too.
  template <class Visit>
  void each_masked(const Batch& batch, const RowValues* values, std::span<std::byte> scratch,
                   Visit visit) {
    const size_t rows = largest_node(batch.level);
    if (scratch.size() < scratch_bytes(batch.level)) {
      throw KernelError("scratch is smaller than scratch_bytes() of the level");
    }
    const auto start = reinterpret_cast<uintptr_t>(scratch.data());
    std::byte* aligned = scratch.data() + (padded(start) - start);
    workers_.resize(static_cast<size_t>(pool_.threads()));
    for (Worker& worker : workers_) worker.has_sums = false;
    pool_.run(batch.candidates.size(), [&](size_t i, int worker) {
      const auto w = static_cast<size_t>(worker);
      auto* bits = reinterpret_cast<uint64_t*>(aligned + w * bits_bytes(rows));
      const ActiveSet& candidate = batch.candidates[i];
      const size_t n = batch.level.size(candidate.node);
      hold_column(batch.level, candidate, values, workers_[w]);
      const size_t active = ops_.active_bits(workers_[w].column.data(), n, candidate.test, bits);
      visit(Masked{i, bits, n, active, workers_[w].sums});
    });
  }

  void hold_column(const LevelRows& level, const ActiveSet& candidate, const RowValues* values,
                   Worker& mine) const {
    const uint32_t from = level.begin[candidate.node];
    const uint32_t* rows = level.rows.data() + from;
    const size_t n = level.size(candidate.node);
    const ColumnName wanted{rows, n, level.tree, level.node_id[candidate.node], candidate.feature};
    if (mine.held != wanted) {
      const uint8_t* bins = bins_.bins.data() + candidate.feature;
      if (mine.column.size() < n) mine.column.resize(n);
      for (size_t j = 0; j < n; ++j) mine.column[j] = bins[rows[j] * bins_.stride];
      mine.held = wanted;
      mine.has_sums = false;
    }
    if (values == nullptr || mine.has_sums) return;
    mine.sums.fill(mine.column.data(), values->g.data() + from, values->h.data() + from, n);
    mine.has_sums = true;
  }

  std::unique_ptr<ThreadPool> own_pool_;
  ThreadPool& pool_;
  const CpuOps& ops_;
  BinMatrix bins_;
  std::vector<Worker> workers_;
  std::span<const GradientPair> gradients_;
  CpuHistograms histograms_;
};

}  // namespace

std::unique_ptr<Backend> cpu_backend(int threads, Simd simd) {
  return std::make_unique<CpuBackend>(threads, simd == Simd::kScalar ? scalar_ops() : simd_ops());
}

std::unique_ptr<Backend> cpu_backend(ThreadPool& pool, Simd simd) {
  return std::make_unique<CpuBackend>(pool, simd == Simd::kScalar ? scalar_ops() : simd_ops());
}

}  // namespace maskbench::kernels
