#pragma once

#include <span>

#include "kernels/candidates.hpp"

namespace maskbench {

// All candidates of a feature in order, from the sums of its bins: visit(number, bin, missing_left,
// left). This order is the one in which candidates are numbered and searched.
template <class Visit>
inline void visit_feature(const FeatureBins& feature, const GradientSum* sums, Visit&& visit) {
  const GradientSum missing = feature.has_missing ? sums[feature.value_bins] : GradientSum{};
  GradientSum left;
  for (uint32_t bin = 0; bin < feature.value_bins; ++bin) {
    left += sums[bin];
    visit_cut(feature, bin, left, missing,
              [&](uint32_t number, bool missing_left, GradientSum sum) {
                visit(number, bin, missing_left, sum);
              });
  }
}

// visit(number, left): the sum over a candidate's left rows for every candidate, in order, from a
// node's histogram.
template <class Visit>
void visit_left_sums(std::span<const FeatureBins> layout, std::span<const GradientSum> histogram,
                     Visit visit) {
  for (const FeatureBins& feature : layout) {
    visit_feature(feature, histogram.data() + feature.offset,
                  [&](uint32_t number, uint32_t, bool, GradientSum left) { visit(number, left); });
  }
}

// Of a node: any feature's bins hold all of its rows.
inline GradientSum total_of(std::span<const FeatureBins> layout, const GradientSum* histogram) {
  GradientSum total;
  for (uint32_t b = 0; b < layout[0].bins(); ++b) total += histogram[b];
  return total;
}

// The first best candidate in a node's histogram.
inline BestCandidate best_in_histogram(std::span<const FeatureBins> features,
                                       const GradientSum* histogram, double step,
                                       const ScoreParams& params) {
  const NodeScorer score(total_of(features, histogram), step, params);
  BestCandidate best;
  for (const FeatureBins& feature : features) {
    visit_feature(feature, histogram + feature.offset,
                  [&](uint32_t number, uint32_t, bool, GradientSum left) {
                    best.consider(score(left), number);
                  });
  }
  return best;
}

}  // namespace maskbench
