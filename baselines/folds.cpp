#include "baselines/folds.hpp"

#include "harness/base/random.hpp"

namespace maskbench {

std::vector<Fold> folds(size_t rows, uint32_t count, const RandomKey& key) {
  std::vector<Fold> out(count);
  Draws draws(key);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t own = draws.below(count);
    for (uint32_t f = 0; f < count; ++f) (f == own ? out[f].held_out : out[f].rest).push_back(row);
  }
  return out;
}

PartyData rows_of(const PartyData& data, std::span<const uint32_t> rows) {
  BinnedMatrix bins{rows.size(), data.bins.features, {}};
  const auto width = static_cast<std::ptrdiff_t>(data.bins.features);
  for (const uint32_t row : rows) {
    const auto begin = data.bins.bins.begin() + row * width;
    bins.bins.insert(bins.bins.end(), begin, begin + width);
  }
  return PartyData(data.names, data.cuts, std::move(bins));
}

std::vector<float> rows_of(std::span<const float> values, std::span<const uint32_t> rows) {
  std::vector<float> out;
  for (const uint32_t row : rows) out.push_back(values[row]);
  return out;
}

}  // namespace maskbench
