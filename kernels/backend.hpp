#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/batch.hpp"

namespace maskbench::kernels {

// The operations of MaskedXGBoost on all nodes of a level and a block of candidates. All views are
// host memory and everything after the normals is integer arithmetic: every backend and any number
// of threads give the same integers. The CPU backend allocates nothing in a call (it works in
// `scratch`); a device backend takes device memory, in smaller blocks if it is short. One call at a
// time: a backend is not shared between threads.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  // PP's features, to be used until the next bind; a device backend copies them here.
  virtual void bind(const BinMatrix& bins) = 0;
  virtual size_t scratch_bytes(const Level& level) const = 0;

  // PP: b (system.md 2, step 1); W cells() entries.
  virtual void noise(const Batch& batch, const Draw& draw, std::span<int32_t> b,
                     std::span<std::byte> scratch) = 0;
  // AP: <g>, <h> (step 2); cells() entries each. Needs no bins.
  virtual void mask(const Batch& batch, std::span<const int32_t> b, const Values& values,
                    const Weights& weights, int columns, std::span<int64_t> masked_g,
                    std::span<int64_t> masked_h) = 0;
  // PP: m'<g>, m'<h> (step 3).
  virtual void aggregate(const Batch& batch, std::span<const int64_t> masked_g,
                         std::span<const int64_t> masked_h, const MaskedSums& sums,
                         std::span<std::byte> scratch) = 0;
  // The same sums, bit for bit, with b tile by tile in cache. Uses that everything is linear:
  // m'<g> = 2^shift m'g + sum_k c_k m'b_k.
  virtual void fused(const Batch& batch, const Draw& draw, const Values& values,
                     const Weights& weights, const MaskedSums& sums,
                     std::span<std::byte> scratch) = 0;
  // Sums of the same distribution from one draw R_ik = m'r_ik a candidate and column.
  virtual void collapsed(const Batch& batch, const Draw& draw, const ExactSums& exact,
                         const Weights& weights, const MaskedSums& sums) = 0;
  // n_A of each candidate.
  virtual void count_active(const Batch& batch, std::span<uint32_t> active,
                            std::span<std::byte> scratch) = 0;
};

enum class Simd { kBest, kScalar };

std::unique_ptr<Backend> cpu_backend(int threads, Simd simd = Simd::kBest);

// Throws KernelError if the library was built without CUDA or no usable device is present; there is
// no fallback.
std::unique_ptr<Backend> cuda_backend();

// Why cuda_backend() would throw; empty if it would not.
std::string cuda_missing();

}  // namespace maskbench::kernels
