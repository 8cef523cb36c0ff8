#include "harness/core/protocol.hpp"

namespace maskbench {

ActiveSide::ActiveSide(const PartyData& data, const ScoreParams& params, ThreadPool& pool)
    : data_(data), params_(params), pool_(pool), search_(data, params, pool) {}

std::vector<BestSplit> ActiveSide::own_splits(const Level& level) {
  return search_.best_splits(level, *clean_);
}

int ActiveSide::own_split(const LevelNode& node, const Candidate& candidate,
                          std::span<uint64_t> bits) {
  splitting_bits(data_, candidate, node.rows, bits);
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

void PassiveSide::take_decisions(const Level& level, Wire& wire) {
  const auto verdicts = wire.receive<Verdict>(Party::pp, Kind::decisions);
  std::vector<size_t> places;
  std::vector<size_t> offsets = {0};
  for (size_t place = 0; place < verdicts.size(); ++place) {
    if (verdicts[place] != Verdict::pp) continue;
    places.push_back(place);
    offsets.push_back(offsets.back() + bit_words(level.nodes[place].rows.size()));
    rules_.push_back(data_.rule(proposed_[place].candidate));
  }
  RowBits bits(offsets.back());
  pool_.run(places.size(), [&](size_t task, int) {
    const LevelNode& node = level.nodes[places[task]];
    splitting_bits(data_, proposed_[places[task]].candidate, node.rows,
                   std::span(bits).subspan(offsets[task]));
  });
  wire.send(Party::pp, Kind::row_sets, {level.tree, level.depth}, std::move(bits));
}

}  // namespace maskbench
