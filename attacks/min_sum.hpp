#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maskbench {

// `count` places whose sums over all columns are smallest, sum_k |sum_j b_jk|. A heuristic stands
// for the paper's enumeration of all subsets: greedy (each step takes the best of a few places
// drawn at random), then random swaps that lower the sum until none of 20 n tries does.
std::vector<uint32_t> min_sum_rows(std::span<const std::span<const float>> columns, size_t count,
                                   uint64_t seed);

}  // namespace maskbench
