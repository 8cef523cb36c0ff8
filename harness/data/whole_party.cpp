#include "harness/data/whole_party.hpp"

#include <numeric>

namespace maskbench {

PartyData whole_party(const Dataset& data, int first, int last, int max_bins) {
  std::vector<int> features;
  std::vector<std::string> names;
  for (int f = first; f < last; ++f) {
    features.push_back(f);
    names.push_back(data.features[static_cast<size_t>(f)].name);
  }
  std::vector<uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<FeatureCuts> cuts = find_cuts(data, features, rows, max_bins);
  BinnedMatrix bins = bin_rows(data, features, cuts, rows);
  return {std::move(names), std::move(cuts), std::move(bins)};
}

}  // namespace maskbench
