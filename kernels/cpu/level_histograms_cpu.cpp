#include "kernels/cpu/level_histograms_cpu.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu_histogram.hpp"
#include "kernels/split_scan.hpp"

namespace maskbench::kernels {

namespace {

// Undoes the responses of the features that have one.
void undo_all(const Features& features, std::span<const Response> responses,
              std::span<GradientSum> histogram) {
  for (size_t f = 0; f < responses.size(); ++f) {
    if (responses[f].is_plain()) continue;
    const std::span<GradientSum> sums =
        histogram.subspan(features.offsets[f], features.layout[f].bins());
    GradientSum total;
    for (const GradientSum& s : sums) total += s;
    for (GradientSum& s : sums) s = undo(responses[f], s, total);
  }
}

class CpuLevelHistograms final : public Histograms {
 public:
  explicit CpuLevelHistograms(const CpuParty& party) : party_(party) {}

  void update(std::span<const GradientPair> gradients, bool, bool fresh) override {
    const Level& level = *party_.level;
    const bool all = fresh || level.depth == 0;
    std::swap(current_, previous_);
    current_.resize(level.nodes.size() * bins());
    std::vector<size_t> built;
    std::vector<NodeRows> nodes;
    for (size_t place = 0; place < level.nodes.size(); ++place) {
      if (!all && !is_built(level, place)) continue;
      built.push_back(place);
      nodes.push_back({level.nodes[place].rows, of(place)});
    }
    sums_.build(party_.features.matrix, party_.features.offsets, gradients, nodes, party_.pool);
    if (all) return;
    party_.pool.run(built.size(), [&](size_t task, int) { subtract(level, built[task]); });
  }

  void search(const HistogramScores& scores) override {
    const bool moved = !scores.responses.empty();
    if (moved) undone_ = current_;
    best_.resize(party_.level->nodes.size());
    party_.pool.run(best_.size(), [&](size_t place, int) {
      std::span<GradientSum> sums = of(place);
      if (moved) {
        sums = std::span(undone_).subspan(place * bins(), bins());
        undo_all(party_.features, scores.responses, sums);
      }
      best_[place] =
          best_in_histogram(party_.features.layout, sums.data(), scores.step, scores.params);
    });
  }

  void found(std::span<BestCandidate> best) override {
    std::copy_n(best_.begin(), best.size(), best.begin());
  }

  void left_counts(std::span<uint32_t> counts) override {
    const size_t candidates = party_.features.candidates();
    for (size_t place = 0; place < party_.level->nodes.size(); ++place) {
      uint32_t* out = counts.data() + place * candidates;
      visit_left_sums(party_.features.layout, of(place), [&](uint32_t number, GradientSum left) {
        out[number] = static_cast<uint32_t>(left.g);
      });
    }
  }

  std::span<const GradientSum> read() override { return current_; }

 private:
  size_t bins() const { return party_.features.bins(); }
  std::span<GradientSum> of(size_t place) {
    return std::span(current_).subspan(place * bins(), bins());
  }
  // The sibling of a node that was built.
  void subtract(const Level& level, size_t place) {
    const GradientSum* parent =
        previous_.data() + static_cast<size_t>(level.nodes[place].parent) * bins();
    const std::span<const GradientSum> sums = of(place);
    const std::span<GradientSum> sibling = of(place ^ 1);
    for (size_t b = 0; b < sums.size(); ++b) sibling[b] = parent[b] - sums[b];
  }

  const CpuParty& party_;
  CpuHistograms sums_;
  std::vector<GradientSum> current_;   // of the level, node after node
  std::vector<GradientSum> previous_;  // of the level above
  std::vector<GradientSum> undone_;    // current_ without the responses
  std::vector<BestCandidate> best_;    // of each node
};

}  // namespace

std::unique_ptr<Histograms> cpu_histograms(const CpuParty& party) {
  return std::make_unique<CpuLevelHistograms>(party);
}

}  // namespace maskbench::kernels
