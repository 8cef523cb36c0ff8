#include "harness/masked/candidate_plan.hpp"

namespace maskbench {

GatheredRows::GatheredRows(const Level& level)
    : tree_(static_cast<uint32_t>(level.tree)), begin_{0} {
  rows_.reserve(level.rows());
  for (const LevelNode& node : level.nodes) {
    rows_.insert(rows_.end(), node.rows.begin(), node.rows.end());
    begin_.push_back(static_cast<uint32_t>(rows_.size()));
    node_id_.push_back(static_cast<uint32_t>(node.node));
  }
}

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
  counts_.update(level, ones_);
  CandidatePlan out;
  for (uint32_t place = 0; place < level.nodes.size(); ++place) {
    const int64_t rows = static_cast<int64_t>(level.nodes[place].rows.size());
    visit_left_sums(data_, counts_[place], [&](uint32_t id, GradientSum left) {
      if (left.g == 0 || left.g == rows) return;  // nothing to split: not sent
      const Candidate& c = data_.candidates[id];
      const bool flip = smaller_active_ && left.g > rows - left.g;
      const auto missing_bin = static_cast<int16_t>(data_.cuts[c.feature].missing_bin());
      out.candidates.push_back({place, id, c.feature, {c.bin, missing_bin, c.missing_left, flip}});
      out.headers.push_back({place, id, static_cast<uint32_t>(flip ? rows - left.g : left.g)});
    });
  }
  return out;
}

}  // namespace maskbench
