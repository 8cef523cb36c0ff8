#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "kernels/batch.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::kernels {

// The operations of MaskedXGBoost on host memory, on all nodes of a level and a block of
// candidates: any number of threads give the same results. Works in `scratch` and keeps a column of
// bins for each thread from call to call.
class CpuOperations {
 public:
  virtual ~CpuOperations() = default;
  virtual std::string name() const = 0;

  // A party's features, to be used until the next bind. Between two binds a node (tree and node_id
  // of a level) keeps its rows.
  virtual void bind(const BinMatrix& bins) = 0;

  virtual size_t scratch_bytes(const LevelRows& level) const = 0;
  // PP: b (docs/protocol.md, masked, step 1); W cells() entries.
  virtual void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
                     std::span<std::byte> scratch) = 0;
  // AP: <g>, <h> (step 2); cells() entries each. Needs no bins. The caller knows that they fit.
  virtual void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
                    const Weights& weights, int columns, const MaskedCells<int32_t>& out) = 0;
  virtual void mask(const Batch& batch, std::span<const int32_t> b, const RowValues& values,
                    const Weights& weights, int columns, const MaskedCells<int64_t>& out) = 0;
  // PP: m'<g>, m'<h> (step 3).
  virtual void aggregate(const Batch& batch, const MaskedCells<const int32_t>& masked,
                         const MaskedSums& sums, std::span<std::byte> scratch) = 0;
  virtual void aggregate(const Batch& batch, const MaskedCells<const int64_t>& masked,
                         const MaskedSums& sums, std::span<std::byte> scratch) = 0;
  // The same sums, bit for bit, from m'g, m'h and n_A alone. Everything is linear, and of m'b only
  // r is left: m'<g> = m'g + sum_k c_k m'r_k, where r needs the ranks of the active rows, not the
  // rows.
  virtual void fused(const Batch& batch, const Draw& draw, const ExactSums& exact,
                     const Weights& weights, const MaskedSums& sums) = 0;
  // Sums of the same distribution from one draw R_ik = m'r_ik a candidate and column.
  virtual void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                         const Weights& weights, const MaskedSums& sums) = 0;
};

std::unique_ptr<CpuOperations> cpu_operations(int threads, Simd simd = Simd::kBest);
// On the threads of a pool, which must outlive it.
std::unique_ptr<CpuOperations> cpu_operations(ThreadPool& pool, Simd simd = Simd::kBest);

}  // namespace maskbench::kernels
