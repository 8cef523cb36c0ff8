#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/batch.hpp"
#include "kernels/candidates.hpp"
#include "kernels/cell_store.hpp"
#include "kernels/histogram.hpp"
#include "kernels/level.hpp"
#include "kernels/noisy_sums.hpp"
#include "kernels/parallel.hpp"
#include "kernels/response.hpp"

namespace maskbench::kernels {

// A party's features, which its backend keeps for a training.
struct Features {
  BinMatrix matrix;
  std::span<const FeatureBins> layout;
  std::span<const uint32_t> offsets;  // of each feature's first bin in a histogram, and the end

  size_t rows() const { return matrix.stride == 0 ? 0 : matrix.bins.size() / matrix.stride; }
  uint32_t bins() const { return offsets.back(); }
  uint32_t candidates() const {
    return layout.empty() ? 0 : layout.back().first_candidate + layout.back().candidates();
  }
};

// How to score what histograms hold.
struct HistogramScores {
  double step = 1;
  ScoreParams params;
  std::span<const Response> responses = {};  // of each feature, to be undone first; or none
};

// The histograms of all nodes of a level over a party's features: the smaller of two siblings is
// summed from its rows, the other is parent minus sibling (exact in integers).
class Histograms {
 public:
  virtual ~Histograms() = default;
  // Of the level that the backend began last; the levels of a tree must come in order. `rebind`:
  // the gradients of all rows are not those of the last call; the caller keeps them until the next.
  // `fresh`: nothing can be subtracted.
  virtual void update(std::span<const GradientPair> gradients, bool rebind, bool fresh) = 0;
  // Begins to search the first best candidate of each node. A device works on while others do.
  virtual void search(const HistogramScores& scores) = 0;
  // What was found: numbers among the party's candidates. Waits for it.
  virtual void found(std::span<BestCandidate> best) = 0;
  // Where every gradient is {1, 0}: the rows left of each candidate, node after node.
  virtual void left_counts(std::span<uint32_t> counts) = 0;
  // All sums on the host, node after node.
  virtual std::span<const GradientSum> read() = 0;
};

// A block's values: in host memory, or where a backend keeps them.
template <class T>
struct Cells {
  std::span<T> host = {};
  CellStore* store = nullptr;

  bool empty() const { return store == nullptr && host.empty(); }
};

// <g> and <h> of a block. Their entries have 32 bits unless W or R is large. No h: nobody wants it.
template <class Cell>
struct MaskedBlock {
  Cells<Cell> g;
  Cells<Cell> h;
};

// How PP scores the sums of its level's candidates.
struct NoisyScores {
  std::span<const GradientSum> total;  // of each node, in `step`
  std::span<const int> lift;           // of each node: its sums are in steps of 2^lift
  NoisyRule rule;
  double step = 1;
  ScoreParams params;
};

// PP's candidates of a level, how it draws their noise and scores what comes of it. All of it must
// stay until the next.
struct LevelCandidates {
  std::span<const ActiveSet> candidates;
  std::span<const uint32_t> active;    // n_A of each
  std::span<const size_t> first_cell;  // see Batch
  Draw draw;
  NoisyScores scores;
};

// Candidates [first, end) of the level's.
struct Block {
  size_t first = 0;
  size_t end = 0;
};

// Candidates as AP knows them: their nodes, and where their cells lie in a block (see Batch).
struct BlockLayout {
  std::span<const ActiveSet> candidates;
  std::span<const size_t> first_cell;

  size_t cells() const { return first_cell[candidates.size()]; }
};

// What AP adds to PP's noise: the gradients of all rows on the grids of the level's nodes.
struct MaskValues {
  std::span<const GradientPair> gradients;
  bool rebind = false;        // they are not those of the last call
  std::span<const int> lift;  // of each node: they are in steps of 2^lift
};

// AP's part in the simulated modes.
struct JointInput {
  Histograms& exact;          // of PP's features with AP's gradients
  std::span<const int> lift;  // as above
  Weights weights;            // of all the level's candidates
  double factor = 1;          // by which a deviating AP multiplies the noise
};

// What computes for one party through a training: bind once, begin_level for every level of every
// tree, then histograms and the operations of MaskedXGBoost on the level's nodes. A device keeps
// bins, rows, gradients, noise and masked vectors in its own memory; only row bits, descriptors of
// the candidates and results cross. Everything after the normals is integer arithmetic up to the
// scores, and those are the same operations on doubles in the same order: every backend and any
// number of threads give the same results. One call at a time: it is not shared between threads.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  // largest_level: nodes that a level may have.
  virtual void bind(const Features& features, size_t largest_level) = 0;
  // The level that everything below speaks of; the same one again changes nothing. It must stay
  // until the next.
  virtual void begin_level(const Level& level) = 0;
  virtual std::unique_ptr<Histograms> histograms() = 0;

  // How many bytes of cells a block should have, and how many candidates at least.
  virtual size_t block_bytes() const = 0;
  virtual size_t block_candidates() const = 0;
  // Room for cells; null: they are to lie in host memory.
  virtual std::unique_ptr<CellStore> store(size_t bytes) = 0;

  // PP, once a level, before the operations of step 1 and 3.
  virtual void begin_candidates(const LevelCandidates& level) = 0;
  // PP: b (docs/protocol.md, masked, step 1); W values a cell.
  virtual void noise(const Block& block, Cells<int32_t> b) = 0;
  // AP: <g>, <h> (step 2) of a block; needs no bins. The caller knows that they fit.
  virtual void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
                    const Weights& weights, int columns, const MaskedBlock<int32_t>& out) = 0;
  virtual void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
                    const Weights& weights, int columns, const MaskedBlock<int64_t>& out) = 0;
  // PP: m'<g>, m'<h> (step 3), kept for best().
  virtual void aggregate(const Block& block, const MaskedBlock<const int32_t>& masked) = 0;
  virtual void aggregate(const Block& block, const MaskedBlock<const int64_t>& masked) = 0;
  // The same sums of all candidates, bit for bit, without the cells. Everything is linear, and of
  // m'b only r is left: m'<g> = m'g + sum_k c_k m'r_k.
  virtual void fused(const JointInput& ap) = 0;
  // Sums of the same distribution from one draw R_ik = m'r_ik a candidate and column.
  virtual void collapsed(const JointInput& ap) = 0;
  // The first best candidate of each node, as its index among the level's, from the sums; and the
  // sums themselves, if there is room for them.
  virtual void best(std::span<BestCandidate> best, const MaskedSums& sums) = 0;
};

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
