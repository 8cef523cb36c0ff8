#pragma once

#include <cstdint>

#include "kernels/score.hpp"

namespace maskbench {

// One feature's place in a histogram, and its candidates' among those of its party.
struct FeatureBins {
  uint32_t offset = 0;           // of its first bin
  uint32_t first_candidate = 0;  // number of the first
  uint16_t value_bins = 1;
  bool has_missing = false;  // one bin more, after those of the values

  MB_HD uint32_t bins() const { return value_bins + (has_missing ? 1u : 0u); }
  // Each cut, with missing values in both directions, and "any value" against missing.
  MB_HD uint32_t candidates() const { return has_missing ? 2u * value_bins - 1 : value_bins - 1u; }
};

// The candidates that cut a feature after `bin`: visit(number, missing_left, sum over the left
// rows), where `left` is the sum of the bins up to it and `missing` that of the missing bin.
template <class Visit>
MB_HD inline void visit_cut(const FeatureBins& feature, uint32_t bin, GradientSum left,
                            GradientSum missing, Visit&& visit) {
  const bool is_last = bin + 1 == feature.value_bins;
  if (!feature.has_missing) {
    if (!is_last) visit(feature.first_candidate + bin, false, left);
    return;
  }
  visit(feature.first_candidate + 2 * bin, false, left);
  if (!is_last) visit(feature.first_candidate + 2 * bin + 1, true, left + missing);
}

}  // namespace maskbench
