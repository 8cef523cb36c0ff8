#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/trees/compute.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/row_sets.hpp"

namespace maskbench {

// Is this node summed from its rows, or got by subtraction? Of two siblings the smaller is summed.
bool is_built(const Level& level, size_t place);

// The histograms of all nodes of a level over one party's features. Builds only the smaller of two
// siblings from its rows; the other is parent minus sibling (exact in integers).
class LevelHistograms {
 public:
  LevelHistograms(const PartyData& data, const Compute& compute);

  // Levels of a tree must come in order, starting with the root, all with the same gradients, which
  // stay where they are. With gradients that change from level to level nothing can be subtracted:
  // say `fresh`.
  void update(const Level& level, std::span<const GradientPair> gradients, bool fresh = false);

  // Of a node of the last level; see PartyData::offsets for its layout.
  std::span<const GradientSum> operator[](size_t place) const {
    return std::span(histograms_).subspan(place * bins_, bins_);
  }
  // Of all its nodes, one after another.
  std::span<const GradientSum> all() const { return histograms_; }

  kernels::Backend& backend() { return *backend_; }

 private:
  std::span<GradientSum> current(size_t place) {
    return std::span(histograms_).subspan(place * bins_, bins_);
  }
  void subtract(const Level& level, size_t place);

  const PartyData& data_;
  ThreadPool& pool_;
  std::unique_ptr<kernels::Backend> backend_;
  size_t bins_;
  std::vector<GradientSum> histograms_;  // of the level, node after node
  std::vector<GradientSum> previous_;    // of the level above
};

}  // namespace maskbench
