#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace maskbench {

// A node that is being split, as both parties know it.
struct LevelNode {
  int node = 0;     // its number in the tree
  int parent = -1;  // its parent's place in the previous level; siblings stand at 2j and 2j + 1
  std::span<const uint32_t> rows;  // ascending
};

struct Level {
  int tree = 0;
  int depth = 0;
  std::vector<LevelNode> nodes;
  // How it came from the level above, for whoever keeps rows of its own: a bit for each row of
  // every node that split there, set if the row went left; nodes in order, each from a new word on.
  std::span<const uint64_t> left_bits = {};

  size_t size(uint32_t place) const { return nodes[place].rows.size(); }
  size_t rows() const {
    size_t sum = 0;
    for (const LevelNode& n : nodes) sum += n.rows.size();
    return sum;
  }
};

// Tells one level of a training from another.
struct LevelName {
  int tree = -1;
  int depth = -1;
  const uint32_t* rows = nullptr;
  size_t nodes = 0;

  bool operator==(const LevelName&) const = default;
};
inline LevelName name_of(const Level& level) {
  return {level.tree, level.depth, level.nodes.empty() ? nullptr : level.nodes[0].rows.data(),
          level.nodes.size()};
}

// Is this node's histogram summed from its rows, or got by subtraction? Of two siblings the smaller
// is summed.
inline bool is_built(const Level& level, size_t place) {
  if (level.depth == 0) return true;
  const size_t own = level.nodes[place].rows.size();
  const size_t sibling = level.nodes[place ^ 1].rows.size();
  return own < sibling || (own == sibling && place % 2 == 0);
}

}  // namespace maskbench
