#include "attacks/noise_columns.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace maskbench {

namespace {

NoiseMessage message_of(const MaskedCandidate& c) {
  NoiseMessage out{&c.node->rows, {}};
  const size_t n = c.node->rows.size();
  for (size_t k = 0; k < static_cast<size_t>(c.W); ++k) {
    std::vector<float>& column = out.columns.emplace_back();
    for (const int32_t b : c.b.subspan(k * n, n))
      column.push_back(static_cast<float>(b / std::max(c.sigma2, 1.0)));
  }
  return out;
}

// Every entry of B has the variance (2R + 1) sigma2^2, active or not; a PP that draws more or less
// than agreed is measured by it.
void scale(NoiseInbox& inbox) {
  double squares = 0, entries = 0;
  const auto each = [&](auto visit) {
    for (NoiseOfCandidate& c : inbox.candidates)
      for (NoiseMessage& m : c.messages)
        for (auto& column : m.columns)
          for (float& b : column) visit(b);
  };
  each([&](float b) {
    squares += double{b} * b;
    ++entries;
  });
  if (squares == 0) return;  // B = 0 tells nothing
  const auto unit = static_cast<float>(std::sqrt((2 * inbox.R + 1) * entries / squares));
  each([unit](float& b) { b *= unit; });
}

}  // namespace

NoiseInbox noise_inbox(const AttackInput& input, bool roots_only) {
  NoiseInbox out;
  out.trees = tree_views(input);
  std::map<uint32_t, NoiseOfCandidate> by_id;
  visit_masked(input, out.trees, [&](const MaskedCandidate& c) {
    const bool is_root = c.node->node == 0;
    if (!is_root && roots_only) return;
    if (out.R == 0) out.R = c.calibration.R;  // levels of their own have nearly the same
    NoiseOfCandidate& candidate = by_id[c.header.id];
    candidate.id = c.header.id;
    if (is_root) candidate.active = c.header.active;
    candidate.messages.push_back(message_of(c));
  });
  for (auto& [id, candidate] : by_id) out.candidates.push_back(std::move(candidate));
  scale(out);
  return out;
}

}  // namespace maskbench
