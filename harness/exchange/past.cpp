#include "harness/exchange/past.hpp"

#include <algorithm>

namespace maskbench {

std::vector<uint32_t> leaf_of_each_row(std::span<const LeafRows> leaves, size_t rows) {
  if (leaves.empty()) return {};
  std::vector<uint32_t> out(rows);
  for (const LeafRows& leaf : leaves) {
    for (uint32_t row : leaf.rows) out[row] = static_cast<uint32_t>(leaf.node);
  }
  return out;
}

PastLeaves::PastLeaves(std::span<const uint32_t> leaf_of_row) {
  if (leaf_of_row.empty()) return;
  rows_.resize(size_t{1} + *std::max_element(leaf_of_row.begin(), leaf_of_row.end()));
  for (size_t row = 0; row < leaf_of_row.size(); ++row)
    rows_[leaf_of_row[row]].push_back(static_cast<uint32_t>(row));
  for (size_t node = 0; node < rows_.size(); ++node) {
    if (!rows_[node].empty()) leaves_.push_back({static_cast<int>(node), rows_[node]});
  }
}

}  // namespace maskbench
