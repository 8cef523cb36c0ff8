#include "harness/trees/level_histograms.hpp"

#include <utility>

namespace maskbench {

bool is_built(const Level& level, size_t place) {
  if (level.depth == 0) return true;
  const size_t own = level.nodes[place].rows.size();
  const size_t sibling = level.nodes[place ^ 1].rows.size();
  return own < sibling || (own == sibling && place % 2 == 0);
}

LevelHistograms::LevelHistograms(const PartyData& data, const Compute& compute)
    : data_(data), pool_(compute.pool()), backend_(compute.backend()), bins_(data.offsets.back()) {
  backend_->bind(data.matrix());
}

// The sibling of a node that was built.
void LevelHistograms::subtract(const Level& level, size_t place) {
  const GradientSum* parent =
      previous_.data() + static_cast<size_t>(level.nodes[place].parent) * bins_;
  const std::span<const GradientSum> sums = current(place);
  const std::span<GradientSum> sibling = current(place ^ 1);
  for (size_t b = 0; b < bins_; ++b) sibling[b] = parent[b] - sums[b];
}

void LevelHistograms::update(const Level& level, std::span<const GradientPair> gradients,
                             bool fresh) {
  std::swap(histograms_, previous_);
  histograms_.resize(level.nodes.size() * bins_);
  std::vector<size_t> built;
  std::vector<NodeRows> nodes;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    if (!fresh && !is_built(level, place)) continue;
    built.push_back(place);
    nodes.push_back({level.nodes[place].rows, current(place)});
  }
  if (fresh || level.depth == 0) backend_->bind_gradients(gradients);
  backend_->histogram(data_.offsets, nodes);
  if (fresh || level.depth == 0) return;
  pool_.run(built.size(), [&](size_t task, int) { subtract(level, built[task]); });
}

}  // namespace maskbench
