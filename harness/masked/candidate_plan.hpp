#pragma once

#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/exchange/elements.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/trees/level_histograms.hpp"
#include "kernels/batch.hpp"
#include "kernels/split_scan.hpp"

namespace maskbench {

// A level's rows as the kernels want them: node after node in one array.
class GatheredRows {
 public:
  explicit GatheredRows(const Level& level);
  kernels::LevelRows view() const { return {tree_, rows_, begin_, node_id_}; }

 private:
  uint32_t tree_;
  std::vector<uint32_t> rows_, begin_, node_id_;
};

// PP's candidates of a level that split their node at all, with n_A by counting.
struct CandidatePlan {
  std::vector<kernels::ActiveSet> candidates;
  std::vector<CandidateHeader> headers;

  // Does the next one to come have this place and id?
  bool is_at(size_t next, size_t place, uint32_t id) const {
    return next < headers.size() && headers[next].place == place && headers[next].id == id;
  }
};

// The candidates of a level by what they cost the party that speaks of them.
privacy::CandidateCounts counts_of(const Level& level, std::span<const CandidateHeader> headers,
                                   const privacy::MaskedCalibration& calibration, Party party);

class CandidateCounter {
 public:
  // smaller_active: the smaller side is the active one (`orient: smaller`), else always the left.
  CandidateCounter(const PartyData& data, bool smaller_active, const Compute& compute);

  // Levels of a tree must come in order.
  CandidatePlan plan(const Level& level);

 private:
  const PartyData& data_;
  bool smaller_active_;
  std::vector<GradientPair> ones_;
  LevelHistograms counts_;
};

// visit(number, left): the sum over a candidate's left rows for every candidate, in order, from a
// node's histogram.
template <class Visit>
void visit_left_sums(const PartyData& data, std::span<const GradientSum> histogram, Visit visit) {
  for (const FeatureBins& feature : data.layout) {
    visit_feature(feature, histogram.data() + feature.offset,
                  [&](uint32_t number, uint32_t, bool, GradientSum left) { visit(number, left); });
  }
}

}  // namespace maskbench
