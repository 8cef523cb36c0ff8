#include "harness/masked/candidate_plan.hpp"

namespace maskbench {

privacy::CandidateCounts counts_of(const Level& level, std::span<const CandidateHeader> headers,
                                   const privacy::MaskedCalibration& calibration, Party party) {
  privacy::CandidateCounts counts(calibration, party);
  for (const CandidateHeader& header : headers) {
    const LevelNode& node = level.nodes.at(header.place);
    counts.add({level.tree, level.depth, node.node}, header.active,
               static_cast<int64_t>(node.rows.size()) - header.active);
  }
  return counts;
}

CandidateCounter::CandidateCounter(const PartyData& data, bool smaller_active,
                                   const Compute& compute)
    : data_(data),
      smaller_active_(smaller_active),
      ones_(data.bins.rows, GradientPair{1, 0}),
      counts_(data, compute) {}

CandidatePlan CandidateCounter::plan(const Level& level) {
  counts_.update_unchanged(level, ones_);
  const std::vector<uint32_t> counts = counts_.left_counts();
  CandidatePlan out;
  for (uint32_t place = 0; place < level.nodes.size(); ++place) {
    const auto rows = static_cast<uint32_t>(level.nodes[place].rows.size());
    for (uint32_t id = 0; id < data_.candidates.size(); ++id) {
      const uint32_t left = counts[place * data_.candidates.size() + id];
      if (left == 0 || left == rows) continue;  // nothing to split: not sent
      const Candidate& c = data_.candidates[id];
      const bool flip = smaller_active_ && left > rows - left;
      const auto missing_bin = static_cast<int16_t>(data_.cuts[c.feature].missing_bin());
      out.candidates.push_back({place, id, c.feature, {c.bin, missing_bin, c.missing_left, flip}});
      out.active.push_back(flip ? rows - left : left);
      out.headers.push_back({place, id, out.active.back()});
    }
  }
  out.first_cell.resize(out.candidates.size() + 1);
  kernels::lay_out(level, out.candidates, out.first_cell);
  return out;
}

}  // namespace maskbench
