#include "harness/trees/row_sets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/cpu/cpu_ops.hpp"

namespace maskbench {

namespace {

constexpr size_t kChunkWords = 64;  // 4096 rows a task

struct Chunk {
  const uint32_t* source;
  size_t rows;
  const uint64_t* bits;
  uint32_t* left;
  uint32_t* right;
};

}  // namespace

RowSets::RowSets(size_t rows)
    : buffers_{std::vector<uint32_t>(rows), std::vector<uint32_t>(rows)} {}

Level RowSets::root(int tree) {
  std::iota(buffers_[0].begin(), buffers_[0].end(), 0u);
  return {tree, 0, {{0, -1, buffers_[0]}}, {}};
}

Level RowSets::split(const Level& level, std::span<const Split> splits, ThreadPool& pool) {
  const uint32_t* from = buffers_[static_cast<size_t>(level.depth) % 2].data();
  uint32_t* to = buffers_[static_cast<size_t>(level.depth + 1) % 2].data();
  Level next{level.tree, level.depth + 1, {}, {}};
  std::vector<Chunk> chunks;
  left_bits_.clear();
  for (const Split& split : splits) {
    left_bits_.insert(left_bits_.end(), split.left_bits.begin(), split.left_bits.end());
    const std::span<const uint32_t> rows = level.nodes[split.place].rows;
    size_t lefts = 0;
    for (uint64_t word : split.left_bits) lefts += static_cast<size_t>(std::popcount(word));
    uint32_t* left = to + (rows.data() - from);  // the children share their parent's range
    uint32_t* right = left + lefts;
    const int parent = static_cast<int>(split.place);
    next.nodes.push_back({split.left, parent, {left, lefts}});
    next.nodes.push_back({split.right, parent, {right, rows.size() - lefts}});
    for (size_t word = 0; word < split.left_bits.size(); word += kChunkWords) {
      const size_t begin = word * 64;
      const size_t count = std::min(kChunkWords * 64, rows.size() - begin);
      chunks.push_back({rows.data() + begin, count, split.left_bits.data() + word, left, right});
      size_t chunk_lefts = 0;
      for (size_t w = word; w < std::min(word + kChunkWords, split.left_bits.size()); ++w) {
        chunk_lefts += static_cast<size_t>(std::popcount(split.left_bits[w]));
      }
      left += chunk_lefts;
      right += count - chunk_lefts;
    }
  }
  const kernels::CpuOps& ops = kernels::simd_ops();
  pool.run(chunks.size(), [&](size_t task, int) {
    const Chunk& chunk = chunks[task];
    ops.partition(chunk.source, chunk.bits, chunk.rows, chunk.left, chunk.right);
  });
  next.left_bits = left_bits_;
  return next;
}

}  // namespace maskbench
