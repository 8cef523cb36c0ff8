#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cpu/cpu_operations.hpp"
#include "kernels/cpu/level_histograms_cpu.hpp"
#include "kernels/split_scan.hpp"

namespace maskbench::kernels {

namespace {

// A level's rows as the operations want them: node after node in one array.
struct GatheredRows {
  std::vector<uint32_t> rows, begin, node_id;

  explicit GatheredRows(const Level& level) : begin{0} {
    rows.reserve(level.rows());
    for (const LevelNode& node : level.nodes) {
      rows.insert(rows.end(), node.rows.begin(), node.rows.end());
      begin.push_back(static_cast<uint32_t>(rows.size()));
      node_id.push_back(static_cast<uint32_t>(node.node));
    }
  }
};

// Exact n_A, m'g and m'h of candidates, m the active side.
struct ActiveSums {
  std::vector<int64_t> g, h;
};

ActiveSums active_sums(const Features& features, std::span<const GradientSum> histograms,
                       std::span<const int> lift, std::span<const ActiveSet> candidates) {
  ActiveSums out;
  std::vector<GradientSum> left(features.candidates());
  for (size_t i = 0; i < candidates.size();) {
    const uint32_t node = candidates[i].node;
    const int64_t unit = int64_t{1} << lift[node];
    const auto sums = histograms.subspan(size_t{node} * features.bins(), features.bins());
    const GradientSum total = total_of(features.layout, sums.data());
    visit_left_sums(features.layout, sums,
                    [&](uint32_t number, GradientSum sum) { left[number] = sum; });
    for (; i < candidates.size() && candidates[i].node == node; ++i) {
      const GradientSum of_left = left[candidates[i].id];
      const GradientSum active = candidates[i].test.flip ? total - of_left : of_left;
      out.g.push_back(active.g * unit);
      out.h.push_back(active.h * unit);
    }
  }
  return out;
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(ThreadPool& pool, Simd simd) : party_{pool}, ops_(cpu_operations(pool, simd)) {}

  std::string name() const override { return ops_->name(); }

  void bind(const Features& features, size_t) override {
    party_.features = features;
    party_.level = nullptr;
    ops_->bind(features.matrix);
  }

  void begin_level(const Level& level) override {
    if (name_of(level) != name_) rows_.reset();
    name_ = name_of(level);
    party_.level = &level;
  }

  std::unique_ptr<Histograms> histograms() override { return cpu_histograms(party_); }

  size_t block_bytes() const override { return BlockLimits{}.preferred; }
  size_t block_candidates() const override { return static_cast<size_t>(party_.pool.threads()); }
  std::unique_ptr<CellStore> store(size_t) override { return nullptr; }

  void begin_candidates(const LevelCandidates& level) override {
    now_ = level;
    gather();
    sum_g_.resize(level.candidates.size());
    sum_h_.resize(level.candidates.size());
    scratch_.resize(ops_->scratch_bytes(rows()));
  }

  void noise(const Block& block, Cells<int32_t> b) override {
    const Placed placed = place(block);
    ops_->noise(placed.batch, {now_.draw.key, now_.draw.columns, scale_of(block)}, b.host,
                scratch_);
  }

  void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
            const Weights& weights, int columns, const MaskedBlock<int32_t>& out) override {
    mask_cells(block, b, values, weights, columns, out, spare32_);
  }
  void mask(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
            const Weights& weights, int columns, const MaskedBlock<int64_t>& out) override {
    mask_cells(block, b, values, weights, columns, out, spare64_);
  }

  void aggregate(const Block& block, const MaskedBlock<const int32_t>& masked) override {
    sum_cells(block, masked);
  }
  void aggregate(const Block& block, const MaskedBlock<const int64_t>& masked) override {
    sum_cells(block, masked);
  }

  void fused(const JointInput& ap) override { simulate(ap, &CpuOperations::fused); }
  void collapsed(const JointInput& ap) override { simulate(ap, &CpuOperations::collapsed); }

  void best(std::span<BestCandidate> best, const MaskedSums& sums) override {
    const NoisyScores& scores = now_.scores;
    std::fill(best.begin(), best.end(), BestCandidate{});
    for (uint32_t i = 0; i < now_.candidates.size();) {
      const uint32_t node = now_.candidates[i].node;
      const NodeScorer score_of(scores.total[node], scores.step, scores.params);
      for (; i < now_.candidates.size() && now_.candidates[i].node == node; ++i)
        best[node].consider(score_of(left_of(scores, i)), i);
    }
    std::copy_n(sum_g_.begin(), sums.g.size(), sums.g.begin());
    std::copy_n(sum_h_.begin(), sums.h.size(), sums.h.begin());
  }

 private:
  struct Placed {
    std::vector<size_t> first_cell;
    Batch batch;
  };

  void gather() {
    if (rows_) return;
    rows_ = std::make_unique<GatheredRows>(*party_.level);
    g_.clear();
  }
  LevelRows rows() const {
    return {static_cast<uint32_t>(party_.level->tree), rows_->rows, rows_->begin, rows_->node_id};
  }

  // A block of the level's candidates with cells of its own.
  Placed place(const Block& block) const {
    Placed placed;
    const size_t count = block.end - block.first;
    for (size_t i = block.first; i <= block.end; ++i)
      placed.first_cell.push_back(now_.first_cell[i] - now_.first_cell[block.first]);
    placed.batch = {rows(), now_.candidates.subspan(block.first, count), placed.first_cell};
    return placed;
  }
  std::span<const NoiseScale> scale_of(const Block& block) const {
    return now_.draw.scale.subspan(block.first, block.end - block.first);
  }

  // g and h in the order of the level's rows; one gathering serves all blocks of a level.
  RowValues row_values(const MaskValues& values) {
    gather();
    if (!g_.empty()) return {g_, h_};
    g_.resize(rows_->rows.size());
    h_.resize(rows_->rows.size());
    for (size_t place = 0; place + 1 < rows_->begin.size(); ++place) {
      const int unit = 1 << values.lift[place];
      for (size_t j = rows_->begin[place]; j < rows_->begin[place + 1]; ++j) {
        g_[j] = values.gradients[rows_->rows[j]].g * unit;
        h_[j] = values.gradients[rows_->rows[j]].h * unit;
      }
    }
    return {g_, h_};
  }

  template <class Cell>
  void mask_cells(const BlockLayout& block, Cells<const int32_t> b, const MaskValues& values,
                  const Weights& weights, int columns, const MaskedBlock<Cell>& out,
                  std::vector<Cell>& spare) {
    std::span<Cell> h = out.h.host;
    if (out.h.empty()) spare.resize(block.cells()), h = spare;
    const RowValues of_rows = row_values(values);
    const Batch batch{rows(), block.candidates, block.first_cell};
    ops_->mask(batch, b.host, of_rows, weights, columns, MaskedCells<Cell>{out.g.host, h});
  }

  template <class Cell>
  void sum_cells(const Block& block, const MaskedBlock<const Cell>& masked) {
    const Placed placed = place(block);
    const size_t count = block.end - block.first;
    ops_->aggregate(
        placed.batch,
        MaskedCells<const Cell>{masked.g.host, masked.h.empty() ? masked.g.host : masked.h.host},
        {std::span(sum_g_).subspan(block.first, count),
         std::span(sum_h_).subspan(block.first, count)},
        scratch_);
  }

  using Simulation = void (CpuOperations::*)(const Batch&, const Draw&, const ExactSums&,
                                             const Weights&, const MaskedSums&);
  void simulate(const JointInput& ap, Simulation simulation) {
    const ActiveSums exact =
        active_sums(party_.features, ap.exact.read(), ap.lift, now_.candidates);
    ((*ops_).*simulation)({rows(), now_.candidates, now_.first_cell}, now_.draw,
                          {now_.active, exact.g, exact.h}, ap.weights, {sum_g_, sum_h_});
    if (ap.factor == 1) return;
    rescale(exact.g, ap.factor, sum_g_);
    rescale(exact.h, ap.factor, sum_h_);
  }
  static void rescale(const std::vector<int64_t>& exact, double factor,
                      std::vector<int64_t>& sums) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = exact[i] + std::llround(factor * static_cast<double>(sums[i] - exact[i]));
  }

  GradientSum left_of(const NoisyScores& scores, size_t i) const {
    const ActiveSet& candidate = now_.candidates[i];
    GradientSum left;
    if (!noisy_left(scores.rule, {sum_g_[i], sum_h_[i]}, scores.lift[candidate.node],
                    now_.active[i], candidate.test.flip, scores.total[candidate.node], left))
      throw KernelError(kSumTooLarge);
    return left;
  }

  CpuParty party_;
  LevelName name_;
  std::unique_ptr<CpuOperations> ops_;
  std::unique_ptr<GatheredRows> rows_;  // of the level, from the first operation that wants them
  std::vector<int32_t> g_, h_;
  LevelCandidates now_;
  std::vector<int64_t> sum_g_, sum_h_;  // of the level's candidates
  std::vector<int32_t> spare32_;
  std::vector<int64_t> spare64_;
  std::vector<std::byte> scratch_;
};

}  // namespace

std::unique_ptr<Backend> cpu_backend(ThreadPool& pool, Simd simd) {
  return std::make_unique<CpuBackend>(pool, simd);
}

}  // namespace maskbench::kernels
