#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/batch.hpp"
#include "kernels/candidates.hpp"
#include "kernels/histogram.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::kernels {

// Candidates to score from the sums over their left rows.
struct ScoreInput {
  std::span<const uint32_t> node;      // of each candidate; those of a node stand together
  std::span<const GradientSum> left;   // of each candidate
  std::span<const GradientSum> total;  // of each node
  double step = 1;                     // of the sums
  ScoreParams params;
};

// Candidates to score from histograms, those of one node after those of another.
struct HistogramScores {
  std::span<const FeatureBins> features;
  std::span<const GradientSum> histograms;
  double step = 1;
  ScoreParams params;
};

// Histograms and scores as all methods use them, and the operations of MaskedXGBoost, on all nodes
// of a level and a block of candidates. All views are host memory. Everything after the normals is
// integer arithmetic up to the scores, and those are the same operations on doubles in the same
// order: every backend and any number of threads give the same results. The CPU backend works in
// `scratch` and keeps a column of bins for each thread and the workspace of histogram from call to
// call; a device backend takes device memory, in smaller blocks if it is short. One call at a time:
// a backend is not shared between threads.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  // A party's features, to be used until the next bind; a device backend copies them here. Between
  // two binds a node (tree and node_id of a level) keeps its rows.
  virtual void bind(const BinMatrix& bins) = 0;
  // The rows' gradients for histogram, likewise; the caller keeps them until the next.
  virtual void bind_gradients(std::span<const GradientPair> gradients) = 0;

  // The histograms of the nodes. offsets: of each feature's first bin, and the end.
  virtual void histogram(std::span<const uint32_t> offsets, std::span<const NodeRows> nodes) = 0;
  // The first best candidate of each node: its number among the party's.
  virtual void score_histograms(const HistogramScores& input, std::span<BestCandidate> best) = 0;
  // The first best candidate of each node: its index in the input.
  virtual void score(const ScoreInput& input, std::span<BestCandidate> best) = 0;

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

enum class Simd { kBest, kScalar };

std::unique_ptr<Backend> cpu_backend(int threads, Simd simd = Simd::kBest);
// On the threads of a pool, which must outlive the backend.
std::unique_ptr<Backend> cpu_backend(ThreadPool& pool, Simd simd = Simd::kBest);

// How many usable devices there are; 0 where cuda_missing() says why.
int cuda_devices();
// On a device in [0, cuda_devices()). Throws KernelError if the library was built without CUDA or
// there is no such device; there is no fallback.
std::unique_ptr<Backend> cuda_backend(int device = 0);

// Why cuda_backend() would throw; empty if it would not.
std::string cuda_missing();

}  // namespace maskbench::kernels
