#include "harness/exchange/passive_side.hpp"

namespace maskbench {

namespace {

// Grows trees as PP sees them: asked for its splits, told the others' rows.
class Follower {
 public:
  Follower(PassiveSide& side, const PassiveContext& context)
      : side_(side),
        data_(context.data),
        max_depth_(context.spec.train.max_depth),
        channel_(context.channel),
        pool_(context.pool),
        rows_(context.data.bins.rows, context.pool) {}

  std::span<const LeafRows> leaves() const { return rows_.leaves(); }
  std::vector<SplitRule> take_rules() { return std::move(rules_); }

  void follow_tree(int number) {
    Level level = rows_.root(number);
    while (!level.nodes.empty() && level.depth < max_depth_) level = follow_level(level);
    rows_.settle(level);
  }

  // Splits on PP's features that an AP alone has chosen, until it says that it is done.
  void follow_borrowing() {
    while (channel_.next() == Kind::decisions) {
      for (const Decision& decision : channel_.receive<Decision>(Kind::decisions))
        rules_.push_back(side_.lent().rule(decode(decision.id)));
    }
    channel_.receive<uint8_t>(Kind::setup);
  }

 private:
  Level follow_level(const Level& level) {
    side_.offer(level);
    const auto decisions = channel_.receive<Decision>(Kind::decisions);
    std::vector<Route> routes;
    for (size_t place = 0; place < decisions.size(); ++place) {
      if (decisions[place].verdict != Decision::Verdict::pp) continue;
      const Candidate split = side_.candidate(place, decisions[place].id);
      rules_.push_back(data_.rule(split));
      routes.push_back({split, level.nodes[place].rows});
    }
    const RowBits own = route_rows(data_, routes, pool_);
    channel_.send(Kind::row_sets, {level.tree, level.depth}, own, side_.row_set_price());
    const RowBits from_ap = channel_.receive<uint64_t>(Kind::row_sets);
    if (level.depth + 1 == max_depth_ && !side_.follows_leaves()) return {};
    return rows_.next(level, decisions, from_ap, own);
  }

  PassiveSide& side_;
  const PartyData& data_;
  int max_depth_;
  Channel& channel_;
  ThreadPool& pool_;
  TreeRows rows_;
  std::vector<SplitRule> rules_;
};

}  // namespace

PassiveSide::PassiveSide(const PassiveContext& context)
    : spec_(context.spec),
      data_(context.data),
      pool_(context.pool),
      channel_(context.channel),
      notes_(context.notes) {}

void PassiveSide::propose(const Level& level, std::vector<BestSplit> best, const Price& price) {
  proposed_ = std::move(best);
  std::vector<Proposal> proposals(proposed_.size());
  for (size_t place = 0; place < proposed_.size(); ++place) {
    proposals[place] = {proposed_[place].score, static_cast<int64_t>(place)};
  }
  channel_.send(Kind::proposals, {level.tree, level.depth}, std::move(proposals), price);
}

Candidate PassiveSide::candidate(size_t place, int64_t) const {
  return proposed_[place].candidate;
}

Price PassiveSide::row_set_price() {
  return Price::exposed("the row sets of PP's winning splits are sent to AP in clear");
}

PassiveResult run_passive(PassiveSide& side, const PassiveContext& context) {
  PassiveResult result;
  Follower follower(side, context);
  side.start();
  TreeClock clock(context.channel);
  const int trees = side.part() == PassivePart::asked ? side.trees() : 0;
  for (int round = 0; round < trees; ++round) {
    clock.begin_tree();
    side.begin_tree(round);
    follower.follow_tree(round);
    side.end_tree(follower.leaves());
    clock.end_tree();
  }
  if (side.part() == PassivePart::borrowed) follower.follow_borrowing();
  result.seconds = clock.take();
  result.rules = follower.take_rules();
  result.score = side.score();
  result.metrics = side.metrics();
  return result;
}

Price score_price() {
  return Price::exposed("the scores of PP's best splits are sent to AP in clear");
}

}  // namespace maskbench
