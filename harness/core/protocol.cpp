#include "harness/core/protocol.hpp"

namespace maskbench {

ActiveSide::ActiveSide(const PartyData& data, const ScoreParams& params, const Compute& compute)
    : data_(data), params_(params), compute_(compute), pool_(compute.pool()) {}

void ActiveSide::begin_tree(int, const Gradients& clean, Wire&) {
  clean_ = &clean;
}

std::vector<Proposal> ActiveSide::proposals(const Level&, Wire& wire) {
  return wire.receive<Proposal>(Party::ap, Kind::proposals);
}

std::vector<BestSplit> ActiveSide::own_splits(const Level& level) {
  if (!search_) search_ = std::make_unique<SplitSearch>(searched(), params_, compute_);
  return search_->best_splits(level, *clean_);
}

Candidate ActiveSide::as_pp(Candidate c) const {
  c.feature = static_cast<uint16_t>(c.feature - data_.cuts.size());
  return c;
}

int ActiveSide::keep_rule(const Candidate& candidate) {
  rules_.push_back(data_.rule(candidate));
  return static_cast<int>(rules_.size()) - 1;
}

void PassiveSide::propose(const Level& level, std::vector<BestSplit> best, Wire& wire) {
  proposed_ = std::move(best);
  std::vector<Proposal> proposals(proposed_.size());
  for (size_t place = 0; place < proposed_.size(); ++place) {
    proposals[place] = {proposed_[place].score, static_cast<int64_t>(place)};
  }
  wire.send(Party::pp, Kind::proposals, {level.tree, level.depth}, std::move(proposals));
}

Candidate PassiveSide::candidate(size_t place, int64_t) const {
  return proposed_[place].candidate;
}

void PassiveSide::take_decisions(const Level& level, Wire& wire) {
  const auto decisions = wire.receive<Decision>(Party::pp, Kind::decisions);
  std::vector<Route> routes;
  bool asked = false;
  for (size_t place = 0; place < decisions.size(); ++place) {
    const Decision& decision = decisions[place];
    if (decision.verdict == Decision::Verdict::borrowed) {
      rules_.push_back(data_.rule(decode(decision.id)));
      continue;
    }
    asked = true;
    if (decision.verdict != Decision::Verdict::pp) continue;
    const Candidate split = candidate(place, decision.id);
    rules_.push_back(data_.rule(split));
    routes.push_back({split, level.nodes[place].rows});
  }
  if (!asked) return;
  wire.send(Party::pp, Kind::row_sets, {level.tree, level.depth}, route_rows(data_, routes, pool_));
}

int64_t encode(const Candidate& c) {
  return int64_t{c.feature} << 16 | int64_t{c.bin} << 1 | (c.missing_left ? 1 : 0);
}

Candidate decode(int64_t id) {
  return {static_cast<uint16_t>(id >> 16), static_cast<uint8_t>(id >> 1 & 255), (id & 1) != 0};
}

}  // namespace maskbench
