#include "harness/masked/rounded_gradients.hpp"

#include <algorithm>

#include "kernels/random/streams.hpp"

namespace maskbench {

namespace {

constexpr size_t kChunk = 1 << 13;

// floor((v + u) / 2^shift), u uniform in [0, 2^shift).
int32_t rounded(int32_t v, uint32_t random, int shift) {
  return (v + static_cast<int32_t>(random >> (32 - shift))) >> shift;
}

}  // namespace

void RoundedGradients::begin_tree(int tree, const Gradients& clean) {
  tree_ = tree;
  clean_ = &clean;
  exact_ = true;
  shift_.clear();
}

bool RoundedGradients::update(const Level& level, const privacy::MaskedGrid& grid) {
  std::vector<int> shift;
  for (const LevelNode& node : level.nodes)
    shift.push_back(grid.shift(static_cast<int64_t>(node.rows.size())));
  bool changed = false;
  for (size_t place = 0; place < level.nodes.size(); ++place) {
    const LevelNode& node = level.nodes[place];
    const int before = level.depth > 0 ? shift_[static_cast<size_t>(node.parent)] : 0;
    if (std::max(shift[place], 0) == std::max(before, 0)) continue;
    changed = true;
    if (exact_) rounded_ = clean_->rows;
    exact_ = false;
    round(node.rows, std::max(shift[place], 0));
  }
  shift_ = std::move(shift);
  return changed;
}

// One block serves two rows.
void RoundedGradients::round(std::span<const uint32_t> rows, int shift) {
  const kernels::StreamId place{{}, static_cast<uint32_t>(tree_), 0, 0, 0};
  pool_.run((rows.size() + kChunk - 1) / kChunk, [&](size_t chunk, int) {
    const size_t end = std::min(rows.size(), (chunk + 1) * kChunk);
    uint32_t block = ~0u;
    PhiloxBlock u;
    for (size_t j = chunk * kChunk; j < end; ++j) {
      const uint32_t row = rows[j];
      const GradientPair v = clean_->rows[row];
      if (shift == 0) {
        rounded_[row] = v;
        continue;
      }
      if (block != row / 2) {
        block = row / 2;
        u = key_.block(stream_counter(place, kernels::Stream::kRounding, block));
      }
      const bool odd = row % 2 != 0;
      rounded_[row] = {rounded(v.g, odd ? u.x[2] : u.x[0], shift),
                       rounded(v.h, odd ? u.x[3] : u.x[1], shift)};
    }
  });
}

}  // namespace maskbench
