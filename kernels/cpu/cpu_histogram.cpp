#include "kernels/cpu/cpu_histogram.hpp"

#include <algorithm>
#include <utility>

namespace maskbench::kernels {

namespace {

constexpr size_t kChunkRows = 1 << 13;

struct Chunk {
  size_t node;
  std::span<const uint32_t> rows;
};

std::vector<Chunk> chunks_of(std::span<const NodeRows> nodes) {
  std::vector<Chunk> chunks;
  for (size_t node = 0; node < nodes.size(); ++node) {
    const std::span<const uint32_t> rows = nodes[node].rows;
    for (size_t begin = 0; begin < rows.size(); begin += kChunkRows) {
      chunks.push_back({node, rows.subspan(begin, std::min(kChunkRows, rows.size() - begin))});
    }
  }
  return chunks;
}

}  // namespace

void CpuHistograms::build(const BinMatrix& bins, std::span<const uint32_t> offsets,
                          std::span<const GradientPair> gradients, std::span<const NodeRows> nodes,
                          ThreadPool& pool) {
  const size_t total_bins = offsets.back();
  const auto workers = static_cast<size_t>(pool.threads());
  packed_.resize(workers);
  for (std::vector<int64_t>& packed : packed_) packed.resize(total_bins);
  partial_.resize(workers);
  touched_.resize(workers);
  for (size_t worker = 1; worker < workers; ++worker) {
    partial_[worker].resize(nodes.size() * total_bins);
    touched_[worker].assign(nodes.size(), 0);
  }
  for (const NodeRows& node : nodes) std::fill(node.sums.begin(), node.sums.end(), GradientSum{});
  const std::vector<Chunk> chunks = chunks_of(nodes);
  pool.run(chunks.size(), [&](size_t task, int worker) {
    const Chunk& chunk = chunks[task];
    const auto w = static_cast<size_t>(worker);
    std::span<GradientSum> sums = nodes[chunk.node].sums;
    if (w > 0) {  // worker 0 adds to the histogram itself, the others to their own
      sums = std::span(partial_[w]).subspan(chunk.node * total_bins, total_bins);
      if (!std::exchange(touched_[w][chunk.node], 1))
        std::fill(sums.begin(), sums.end(), GradientSum{});
    }
    histogram_rows(bins, offsets, gradients.data(), chunk.rows, sums, packed_[w]);
  });
  if (workers == 1) return;
  pool.run(nodes.size(), [&](size_t node, int) { gather(nodes[node], node, total_bins); });
}

void CpuHistograms::gather(const NodeRows& node, size_t index, size_t total_bins) const {
  for (size_t worker = 1; worker < partial_.size(); ++worker) {
    if (!touched_[worker][index]) continue;
    const GradientSum* share = partial_[worker].data() + index * total_bins;
    for (size_t b = 0; b < total_bins; ++b) node.sums[b] += share[b];
  }
}

}  // namespace maskbench::kernels
