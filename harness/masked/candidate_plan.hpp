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

// PP's candidates of a level that split their node at all, with n_A by counting.
struct CandidatePlan {
  std::vector<kernels::ActiveSet> candidates;
  std::vector<CandidateHeader> headers;
  std::vector<uint32_t> active;    // n_A of each
  std::vector<size_t> first_cell;  // see Batch

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

}  // namespace maskbench
