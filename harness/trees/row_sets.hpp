#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/data/candidate.hpp"
#include "kernels/parallel.hpp"

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

  size_t rows() const;
};

// The rows of every node of the tree that grows. Each party keeps its own: whoever owns a split
// tells the other which rows go left.
class RowSets {
 public:
  explicit RowSets(size_t rows);

  // The root with all rows.
  Level root(int tree);

  struct Split {
    size_t place = 0;  // of the node in the level
    int left = 0;      // the children's numbers in the tree
    int right = 0;
    std::span<const uint64_t> left_bits;
  };
  // The next level: the children of the nodes that split, in order. The spans of the nodes that do
  // not split stay valid until the next root().
  Level split(const Level& level, std::span<const Split> splits, ThreadPool& pool);

 private:
  std::array<std::vector<uint32_t>, 2> buffers_;
};

}  // namespace maskbench
