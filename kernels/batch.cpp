#include "kernels/batch.hpp"

#include <algorithm>
#include <string>

namespace maskbench::kernels {

template <class Nodes>
size_t plan_block(const Nodes& level, std::span<const ActiveSet> candidates, size_t first,
                  size_t cell_bytes, const BlockLimits& limits) {
  size_t bytes = 0;
  size_t end = first;
  for (; end < candidates.size(); ++end) {
    const size_t more = level.size(candidates[end].node) * cell_bytes;
    const size_t preferred = end - first < limits.at_least ? limits.limit : limits.preferred;
    if (bytes + more > std::min(limits.limit, std::max(preferred, more))) break;
    bytes += more;
  }
  if (end == first && first < candidates.size()) {
    const size_t rows = level.size(candidates[first].node);
    throw KernelError("memory_limit of " + std::to_string(limits.limit) +
                      " bytes is too small for one candidate of " + std::to_string(rows) +
                      " rows: it takes " + std::to_string(rows * cell_bytes) + " bytes");
  }
  return end - first;
}

template size_t plan_block(const LevelRows&, std::span<const ActiveSet>, size_t, size_t,
                           const BlockLimits&);
template size_t plan_block(const Level&, std::span<const ActiveSet>, size_t, size_t,
                           const BlockLimits&);

}  // namespace maskbench::kernels
