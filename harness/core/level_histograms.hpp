#pragma once

#include <span>
#include <vector>

#include "harness/core/gradients.hpp"
#include "harness/core/party.hpp"
#include "harness/core/row_sets.hpp"

namespace maskbench {

// Is this node summed from its rows, or got by subtraction? Of two siblings the smaller is summed.
bool is_built(const Level& level, size_t place);

// The histograms of all nodes of a level over one party's features. Builds only the smaller of two
// siblings from its rows; the other is parent minus sibling (exact in integers).
class LevelHistograms {
 public:
  LevelHistograms(const PartyData& data, ThreadPool& pool);

  // Levels of a tree must come in order, starting with the root, all with the same gradients.
  // With gradients that change from level to level nothing can be subtracted: say `fresh`.
  void update(const Level& level, std::span<const GradientPair> gradients, bool fresh = false);

  // Of a node of the last level; see PartyData::offsets for its layout.
  std::span<const GradientSum> operator[](size_t place) const {
    return std::span(histograms_).subspan(place * bins_, bins_);
  }

 private:
  void build(const Level& level, std::span<const size_t> places,
             std::span<const GradientPair> gradients);
  void finish(const Level& level, size_t place, bool fresh);
  std::span<GradientSum> current(size_t place) {
    return std::span(histograms_).subspan(place * bins_, bins_);
  }

  const PartyData& data_;
  ThreadPool& pool_;
  size_t bins_;
  std::vector<GradientSum> histograms_;            // of the level, node after node
  std::vector<GradientSum> previous_;              // of the level above
  std::vector<std::vector<GradientSum>> partial_;  // a worker's share of the histograms
  std::vector<std::vector<uint8_t>> touched_;      // which of them it has begun
  std::vector<std::vector<int64_t>> packed_;       // workspace of histogram_rows
};

}  // namespace maskbench
