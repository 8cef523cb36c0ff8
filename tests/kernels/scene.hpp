#pragma once

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
    for (uint8_t& bin : bins_) bin = static_cast<uint8_t>(rng() % 16);
    for (uint32_t j = 0; j < total; ++j) rows_.push_back(2 * j + rng() % 2);
    std::vector<int32_t> g(all);
    std::vector<int32_t> h(all);
    for (size_t r = 0; r < all; ++r) {
      g[r] = static_cast<int32_t>(rng() % (1u << 21)) - (1 << 20);
      h[r] = static_cast<int32_t>(rng() % (1u << 18));
    }
    for (const uint32_t row : rows_) {
      g_.push_back(g[row]);
      h_.push_back(h[row]);
    }
    for (uint32_t node = 0; node < node_sizes.size(); ++node) add_candidates(node);
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
  Scene(Scene&&) = default;  // draw.scale stays valid: the vector's memory moves along
  Scene(const Scene&) = delete;

  LevelRows level() const { return {9, rows_, begin_, node_id_}; }
  Batch batch() const { return {level(), candidates_, first_cell_}; }
  BinMatrix bins() const { return {bins_, kFeatures}; }
  RowValues values() const { return {g_, h_}; }
  // m'g, m'h and n_A of each candidate, by looking at each row.
  void exact(std::vector<uint32_t>& active, std::vector<int64_t>& g,
             std::vector<int64_t>& h) const {
    for (const ActiveSet& c : candidates_) {
      active.push_back(0);
      g.push_back(0);
      h.push_back(0);
      for (uint32_t j = begin_[c.node]; j < begin_[c.node + 1]; ++j) {
        if (!is_active(c.test, bins_[rows_[j] * kFeatures + c.feature])) continue;
        ++active.back();
        g.back() += g_[j];
        h.back() += h_[j];
      }
    }
  }
  Weights weights() const { return {c_, d_}; }

  Draw draw;

 private:
  void add_candidates(uint32_t node) {
    uint32_t id = 100;
    const auto add = [&](uint16_t feature, RowTest test) {
      candidates_.push_back({node, id++, feature, test});
    };
    add(0, {7, -1, false, false});
    add(0, {7, -1, false, true});     // orient = smaller
    add(0, {255, -1, false, false});  // all rows active
    add(0, {255, -1, false, true});   // none
    add(1, {4, kMissingBin, true, false});
    add(1, {4, kMissingBin, false, false});
    add(2, {0, -1, false, true});
  }

  std::vector<uint32_t> rows_, begin_, node_id_;
  std::vector<uint8_t> bins_;
  std::vector<int32_t> g_, h_, c_, d_;
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

  bool operator==(const Results&) const = default;
};

inline Results run_all(Backend& backend, const Scene& scene) {
  const Batch batch = scene.batch();
  const size_t count = batch.candidates.size();
  const auto width = static_cast<size_t>(scene.draw.columns);
  Results r;
  for (auto* sums : {&r.sum_g, &r.sum_h, &r.narrow_sum_g, &r.narrow_sum_h, &r.fused_g, &r.fused_h,
                     &r.collapsed_g, &r.collapsed_h}) {
    sums->resize(count);
  }
  r.b.resize(width * batch.cells());
  for (auto* cells : {&r.masked_g, &r.masked_h}) cells->resize(batch.cells());
  for (auto* cells : {&r.narrow_g, &r.narrow_h}) cells->resize(batch.cells());
  std::vector<uint32_t> active;
  std::vector<int64_t> g, h;
  scene.exact(active, g, h);
  backend.bind(scene.bins());
  std::vector<std::byte> scratch(backend.scratch_bytes(batch.level));
  backend.noise(batch, scene.draw, r.b, scratch);
  backend.mask(batch, r.b, scene.values(), scene.weights(), scene.draw.columns,
               MaskedCells<int64_t>{r.masked_g, r.masked_h});
  backend.mask(batch, r.b, scene.values(), scene.weights(), scene.draw.columns,
               MaskedCells<int32_t>{r.narrow_g, r.narrow_h});
  backend.aggregate(batch, MaskedCells<const int64_t>{r.masked_g, r.masked_h}, {r.sum_g, r.sum_h},
                    scratch);
  backend.aggregate(batch, MaskedCells<const int32_t>{r.narrow_g, r.narrow_h},
                    {r.narrow_sum_g, r.narrow_sum_h}, scratch);
  backend.fused(batch, scene.draw, {active, g, h}, scene.weights(), {r.fused_g, r.fused_h});
  backend.collapsed(batch, scene.draw, {active, g, h}, scene.weights(),
                    {r.collapsed_g, r.collapsed_h});
  return r;
}

}  // namespace maskbench::kernels
