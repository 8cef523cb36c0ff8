#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench::kernels {

// A level of nodes of awkward sizes with candidates of every kind, and every operation's results.
class Scene {
 public:
  static constexpr size_t kFeatures = 3;
  static constexpr uint8_t kMissingBin = 15;  // of feature 1
  static constexpr std::array<FeatureBins, kFeatures> kLayout = {
      {{0, 0, 16, false}, {16, 15, 15, true}, {32, 44, 2, false}}};
  static constexpr std::array<uint32_t, kFeatures + 1> kOffsets = {0, 16, 32, 34};

  explicit Scene(std::vector<uint32_t> node_sizes, int columns, NoiseScale scale)
      : draw{{0x243f6a88u, 0x85a308d3u}, columns, {}} {
    std::mt19937 rng(static_cast<unsigned>(node_sizes.size()) + 17);
    uint32_t total = 0;
    begin_.push_back(0);
    for (uint32_t size : node_sizes) {
      begin_.push_back(total += size);
      node_id_.push_back(static_cast<uint32_t>(3 + 2 * node_id_.size()));
    }
    const size_t all = 2 * size_t{total} + 10;  // more rows than the level has
    bins_.resize(all * kFeatures);
    for (size_t cell = 0; cell < bins_.size(); ++cell)  // all rows are in feature 2's first bin
      bins_[cell] = static_cast<uint8_t>(cell % kFeatures == 2 ? 0 : rng() % 16);
    for (uint32_t j = 0; j < total; ++j) rows_.push_back(2 * j + rng() % 2);
    for (size_t r = 0; r < all; ++r)
      gradients_.push_back({static_cast<int32_t>(rng() % (1u << 21)) - (1 << 20),
                            static_cast<int32_t>(rng() % (1u << 18))});
    for (uint32_t node = 0; node < node_sizes.size(); ++node) {
      lift_.push_back(static_cast<int>(node % 2));
      total_.push_back({1 << 26, int64_t{1} << (28 + node % 2)});
      const auto rows = std::span(rows_).subspan(begin_[node], node_sizes[node]);
      grown_.nodes.push_back({static_cast<int>(node_id_[node]), -1, rows});
      add_candidates(node);
    }
    count_active();
    first_cell_.resize(candidates_.size() + 1);
    lay_out(level(), candidates_, first_cell_);
    const auto width = static_cast<size_t>(columns);
    c_.resize(candidates_.size() * width);
    d_.resize(candidates_.size() * width);
    for (int32_t& x : c_) x = static_cast<int32_t>(rng() % 2001) - 1000;
    for (int32_t& x : d_) x = static_cast<int32_t>(rng() % 2001) - 1000;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      // Each candidate has a scale of its own; every other one is masked by signs, if W = 1.
      const float factor = 1 + 0.01f * static_cast<float>(i % 5);
      scale_.push_back({factor * scale.sigma2, factor * scale.beta, factor * scale.inactive});
      if (columns > 1 || i % 2 == 0) continue;
      c_[i] = rng() % 2 == 0 ? 1 : -1;
      d_[i] = rng() % 2 == 0 ? 1 : -1;
    }
    draw.scale = scale_;
  }
  Scene(Scene&&) = default;  // the views stay valid: the vectors' memory moves along
  Scene(const Scene&) = delete;

  LevelRows level() const { return {9, rows_, begin_, node_id_}; }
  Batch batch() const { return {level(), candidates_, first_cell_}; }
  BinMatrix bins() const { return {bins_, kFeatures}; }
  Features features() const { return {bins(), kLayout, kOffsets}; }
  const Level& grown() const { return grown_; }
  std::span<const GradientPair> gradients() const { return gradients_; }
  std::span<const int> lift() const { return lift_; }
  LevelCandidates candidates() const {
    return {candidates_, active_, first_cell_, draw, {total_, lift_, {}, 0x1p-20, {1.0, 0.1, 1.0}}};
  }
  Weights weights() const { return {c_, d_}; }

  Draw draw;

 private:
  void add_candidates(uint32_t node) {
    const auto add = [&](uint16_t feature, uint32_t id, RowTest test) {
      candidates_.push_back({node, id, feature, test});
    };
    add(0, 7, {7, -1, false, false});
    add(0, 8, {8, -1, false, true});    // orient = smaller
    add(2, 44, {0, -1, false, false});  // all rows active
    add(2, 44, {0, -1, false, true});   // none
    add(1, 24, {4, kMissingBin, true, false});
    add(1, 23, {4, kMissingBin, false, false});
    add(0, 0, {0, -1, false, true});
  }
  void count_active() {
    for (const ActiveSet& c : candidates_) {
      active_.push_back(0);
      for (uint32_t j = begin_[c.node]; j < begin_[c.node + 1]; ++j)
        active_.back() += is_active(c.test, bins_[rows_[j] * kFeatures + c.feature]);
    }
  }

  std::vector<uint32_t> rows_, begin_, node_id_, active_;
  std::vector<uint8_t> bins_;
  std::vector<GradientPair> gradients_;
  std::vector<GradientSum> total_;
  std::vector<int> lift_;
  Level grown_{9, 0, {}, {}};
  std::vector<int32_t> c_, d_;
  std::vector<NoiseScale> scale_;
  std::vector<ActiveSet> candidates_;
  std::vector<size_t> first_cell_;
};

struct Results {
  std::vector<int32_t> b;
  std::vector<int32_t> narrow_g, narrow_h;
  std::vector<int64_t> masked_g, masked_h;
  std::vector<int64_t> sum_g, sum_h;
  std::vector<int64_t> narrow_sum_g, narrow_sum_h;
  std::vector<int64_t> fused_g, fused_h;
  std::vector<int64_t> collapsed_g, collapsed_h;
  std::vector<BestCandidate> best, collapsed_best;

  bool operator==(const Results&) const = default;
};

// Cells of a block wherever the backend wants them.
template <class T>
class HeldCells {
 public:
  HeldCells(Backend& backend, size_t count)
      : store_(backend.store(count * sizeof(T))), host_(count) {}
  Cells<T> view() {
    if (store_) return {{}, store_.get()};
    return {host_, nullptr};
  }
  Cells<const T> read_view() { return {view().host, view().store}; }
  std::vector<T> values() {
    if (store_) store_->read(std::as_writable_bytes(std::span(host_)));
    return host_;
  }

 private:
  std::unique_ptr<CellStore> store_;
  std::vector<T> host_;
};

struct SceneSums {
  std::vector<int64_t> g, h;
  std::vector<BestCandidate> best;
};
inline SceneSums sums_of(Backend& backend, const Scene& scene) {
  SceneSums out{std::vector<int64_t>(scene.candidates().candidates.size()), {}, {}};
  out.h.resize(out.g.size());
  out.best.resize(scene.grown().nodes.size());
  backend.best(out.best, {out.g, out.h});
  return out;
}

// The materialised mode in blocks of so many candidates.
template <class Cell>
SceneSums run_cells(Backend& backend, const Scene& scene, size_t at_once, std::vector<int32_t>& b,
                    std::vector<Cell>& g, std::vector<Cell>& h) {
  const LevelCandidates all = scene.candidates();
  const auto width = static_cast<size_t>(scene.draw.columns);
  backend.begin_candidates(all);
  for (size_t first = 0; first < all.candidates.size(); first += at_once) {
    const Block block{first, std::min(first + at_once, all.candidates.size())};
    std::vector<size_t> first_cell;
    for (size_t i = block.first; i <= block.end; ++i)
      first_cell.push_back(all.first_cell[i] - all.first_cell[first]);
    const size_t cells = first_cell.back(), count = block.end - first;
    HeldCells<int32_t> noise(backend, width * cells);
    HeldCells<Cell> masked_g(backend, cells), masked_h(backend, cells);
    backend.noise(block, noise.view());
    backend.mask({all.candidates.subspan(first, count), first_cell}, noise.read_view(),
                 {scene.gradients(), first == 0, scene.lift()},
                 {scene.weights().c.subspan(width * first, width * count),
                  scene.weights().d.subspan(width * first, width * count)},
                 scene.draw.columns, MaskedBlock<Cell>{masked_g.view(), masked_h.view()});
    backend.aggregate(block, MaskedBlock<const Cell>{masked_g.read_view(), masked_h.read_view()});
    const auto append = [](auto& to, const auto& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    append(b, noise.values());
    append(g, masked_g.values());
    append(h, masked_h.values());
  }
  return sums_of(backend, scene);
}

inline Results run_all(Backend& backend, const Scene& scene) {
  Results r;
  std::vector<int32_t> again;
  backend.bind(scene.features(), scene.grown().nodes.size());
  backend.begin_level(scene.grown());
  const SceneSums wide = run_cells(backend, scene, 5, r.b, r.masked_g, r.masked_h);
  const SceneSums narrow = run_cells(backend, scene, 100, again, r.narrow_g, r.narrow_h);
  r.sum_g = wide.g, r.sum_h = wide.h;
  r.narrow_sum_g = narrow.g, r.narrow_sum_h = narrow.h;
  const auto exact = backend.histograms();
  exact->update(scene.gradients(), true, true);
  const JointInput joint{*exact, scene.lift(), scene.weights()};
  backend.begin_candidates(scene.candidates());
  backend.fused(joint);
  const SceneSums fused = sums_of(backend, scene);
  r.fused_g = fused.g, r.fused_h = fused.h, r.best = fused.best;
  backend.begin_candidates(scene.candidates());
  backend.collapsed({*exact, scene.lift(), scene.weights(), 1.25});
  const SceneSums collapsed = sums_of(backend, scene);
  r.collapsed_g = collapsed.g, r.collapsed_h = collapsed.h, r.collapsed_best = collapsed.best;
  return r;
}

}  // namespace maskbench::kernels
