#include "harness/masked/level_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maskbench {

namespace {

using privacy::Mechanism;
using privacy::NodeContent;

// Of every node, its candidates by n_A. The filter saturates n_A where R is known.
std::vector<NodeContent> contents_of(const Level& level, std::span<const CandidateHeader> headers,
                                     int W) {
  std::vector<NodeContent> out(level.nodes.size());
  for (const CandidateHeader& header : headers) {
    const int64_t cycle =
        privacy::Ledger::counted_cycle(header.active, std::numeric_limits<int64_t>::max());
    ++out[header.place][Mechanism::theorem3(0, W, cycle)];
  }
  return out;
}

uint32_t largest_node(const Level& level, std::span<const CandidateHeader> headers) {
  std::vector<uint32_t> counts(level.nodes.size());
  uint32_t most = 0;
  for (const CandidateHeader& header : headers) most = std::max(most, ++counts[header.place]);
  return most;
}

}  // namespace

LevelBudget::LevelBudget(const RunSpec& spec, size_t rows, size_t candidates, Party party)
    : spec_(spec),
      is_on_(is_filtered(spec)),
      plan_(filter_plan(spec, rows, static_cast<double>(candidates), party)) {}

// Most levels have the scale of the one before: what was sent need not be gone through for them.
double LevelBudget::scale(const Channel& channel, const Level& level,
                          std::span<const NodeContent> nodes, double so_far) {
  const bool is_kept =
      is_under_way_ && !privacy::is_planned_anew(level.tree, level.depth, plan_.rounds);
  is_under_way_ = true;
  if (is_kept) return so_far;
  return privacy::filtered_scale(plan_, channel.ledger(), level.tree, level.depth, nodes);
}

privacy::MaskedCalibration LevelBudget::agree_as_pp(Channel& channel, const Level& level,
                                                    std::span<const CandidateHeader> headers,
                                                    const privacy::MaskedCalibration& so_far) {
  double R = so_far.R;
  if (!headers.empty() && spec_.privacy.ratio == 0)
    R = scale(channel, level, contents_of(level, headers, so_far.W), so_far.R);
  const Tag tag{level.tree, level.depth};
  channel.send(Kind::setup, tag, std::vector<double>{double(largest_node(level, headers)), R},
               Price::exposed(privacy::kHeadersInClear, privacy::View::receiver));
  const auto q = channel.receive<double>(Kind::setup);
  expect_count(Kind::setup, q.size(), 1);
  if (!(q[0] > 0) || !std::isfinite(q[0]))
    throw ProtocolError("AP's share of its budget is no positive number");
  return so_far.at(R, q[0]);
}

privacy::MaskedCalibration LevelBudget::agree_as_ap(Channel& channel, const Level& level,
                                                    const privacy::MaskedCalibration& so_far) {
  const auto told = channel.receive<double>(Kind::setup);
  expect_count(Kind::setup, told.size(), 2);
  const double candidates = told[0], R = told[1];
  if (!(candidates >= 0 && candidates <= double(plan_.candidates)) || !(R > 0) || !std::isfinite(R))
    throw ProtocolError("PP tells a number of candidates or a ratio of its noise that cannot be");
  told_ = static_cast<uint32_t>(candidates);
  counts_.assign(level.nodes.size(), 0);
  double q = so_far.q;
  if (told_ > 0) {
    NodeContent content = plan_.most;
    for (auto& [mechanism, count] : content) count *= candidates / plan_.candidates;
    q = std::pow(scale(channel, level, std::span(&content, 1), std::sqrt(so_far.q)), 2);
  }
  channel.send(Kind::setup, {level.tree, level.depth}, std::vector<double>{q},
               Price::not_personal("AP's share of its budget follows from what PP told"));
  return so_far.at(R, q);
}

void LevelBudget::count(std::span<const CandidateHeader> headers) {
  for (const CandidateHeader& header : headers) {
    if (++counts_.at(header.place) > told_)
      throw ProtocolError("PP sends more candidates of a node than it had told");
  }
}

}  // namespace maskbench
