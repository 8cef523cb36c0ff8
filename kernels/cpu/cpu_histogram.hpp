#pragma once

#include <vector>

#include "kernels/histogram.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::kernels {

// Histograms of several nodes by a team of threads, in workspace that is kept from call to call.
class CpuHistograms {
 public:
  void build(const BinMatrix& bins, std::span<const uint32_t> offsets,
             std::span<const GradientPair> gradients, std::span<const NodeRows> nodes,
             ThreadPool& pool);

 private:
  void gather(const NodeRows& node, size_t index, size_t total_bins) const;

  std::vector<std::vector<GradientSum>> partial_;  // a worker's share of the histograms
  std::vector<std::vector<uint8_t>> touched_;      // which of them it has begun
  std::vector<std::vector<int64_t>> packed_;       // workspace of histogram_rows
};

}  // namespace maskbench::kernels
