#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/data/candidate.hpp"
#include "kernels/level.hpp"
#include "kernels/parallel.hpp"

namespace maskbench {

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
  std::vector<uint64_t> left_bits_;  // of the last split
};

}  // namespace maskbench
