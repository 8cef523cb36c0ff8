#include "harness/trees/split_search.hpp"

#include "kernels/split_scan.hpp"

namespace maskbench {

std::vector<BestSplit> best_in_histograms(ThreadPool& pool, const PartyData& data,
                                          std::span<const GradientSum> histograms,
                                          const FixedPoint& grid, const ScoreParams& params) {
  const size_t bins = data.offsets.back();
  std::vector<BestSplit> splits(histograms.size() / bins);
  pool.run(splits.size(), [&](size_t place, int) {
    splits[place] = as_split(data, best_in_histogram(data.layout, histograms.data() + place * bins,
                                                     grid.step(), params));
  });
  return splits;
}

}  // namespace maskbench
