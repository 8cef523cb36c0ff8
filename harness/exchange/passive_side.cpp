#include "harness/exchange/passive_side.hpp"

#include "harness/exchange/level_trace.hpp"
#include "harness/privacy/exposures.hpp"

namespace maskbench {

namespace {

// Grows trees as PP sees them: asked for its splits, told the others' rows.
class Follower {
 public:
  Follower(PassiveSide& side, const PassiveContext& context)
      : side_(side),
        data_(context.data),
        max_depth_(context.spec.train.max_depth),
        verify_(context.spec.verify),
        channel_(context.channel),
        pool_(context.pool),
        rows_(context.data.bins.rows, context.pool) {}

  std::span<const LeafRows> leaves() const { return rows_.leaves(); }
  std::vector<SplitRule> take_rules() { return std::move(rules_); }
  std::vector<SplitRule> rules_from(size_t first) const {
    return {rules_.begin() + static_cast<std::ptrdiff_t>(first), rules_.end()};
  }
  size_t rules() const { return rules_.size(); }
  void adopt(const PastTree& past) {
    rules_.insert(rules_.end(), past.rules.begin(), past.rules.end());
  }

  void follow_tree(int number) {
    Level level = rows_.root(number);
    while (!level.nodes.empty() && level.depth < max_depth_) level = follow_level(level);
    rows_.settle(level);
  }

  // Splits on PP's features that an AP alone has chosen, until it says that it is done. A tree is
  // finished when the next one is spoken of.
  template <class Finished>
  void follow_borrowing(int tree, Finished finished) {
    while (channel_.next() == Kind::decisions) {
      Tag tag;
      const auto decisions = channel_.receive<Decision>(Kind::decisions, &tag);
      for (; tree < tag.tree; ++tree) finished(tree);
      for (const Decision& decision : decisions) rules_.push_back(borrowed_rule(decision));
    }
    channel_.receive<uint8_t>(Kind::setup);
  }

 private:
  Level follow_level(const Level& level) {
    const LevelTrace trace("PP level", level, data_, channel_);
    {
      const trace::Range range("PP offer");
      side_.offer(level);
    }
    if (verify_) send_offered(level);
    const auto decisions = channel_.receive<Decision>(Kind::decisions);
    expect_count(Kind::decisions, decisions.size(), level.nodes.size());
    std::vector<Route> routes;
    size_t words = 0;  // of AP's row sets
    for (size_t place = 0; place < decisions.size(); ++place) {
      if (is_aps(decisions[place].verdict)) words += bit_words(level.nodes[place].rows.size());
      if (decisions[place].verdict != Decision::Verdict::pp) continue;
      const Candidate split = known(side_.candidate(place, decisions[place].id), data_);
      rules_.push_back(data_.rule(split));
      routes.push_back({split, level.nodes[place].rows});
    }
    const RowBits own = route_rows(data_, routes, pool_);
    channel_.send(Kind::row_sets, {level.tree, level.depth}, own, side_.row_set_price());
    const RowBits from_ap = channel_.receive<uint64_t>(Kind::row_sets);
    expect_count(Kind::row_sets, from_ap.size(), words);
    if (level.depth + 1 == max_depth_ && !side_.follows_leaves()) return {};
    return rows_.next(level, decisions, from_ap, own);
  }

  static bool is_aps(Decision::Verdict verdict) {
    switch (verdict) {
      case Decision::Verdict::ap:
      case Decision::Verdict::borrowed:
        return true;
      case Decision::Verdict::leaf:
      case Decision::Verdict::pp:
        return false;
    }
    throw ProtocolError("AP sent a decision that is none");
  }

  // AP may have chosen it by an id that it made up.
  static Candidate known(const Candidate& split, const PartyData& data) {
    if (split.feature >= data.cuts.size() || split.bin >= data.cuts[split.feature].bins())
      throw ProtocolError("AP took a split that PP does not have");
    return split;
  }
  SplitRule borrowed_rule(const Decision& decision) const {
    return side_.lent().rule(known(decode(decision.id), side_.lent()));
  }

  // The rows of every split that PP offers, taken or not.
  void send_offered(const Level& level) {
    std::vector<Route> routes;
    for (size_t place = 0; place < level.nodes.size(); ++place) {
      if (side_.offers(place))
        routes.push_back(
            {side_.candidate(place, static_cast<int64_t>(place)), level.nodes[place].rows});
    }
    channel_.send(Kind::row_sets, {level.tree, level.depth}, route_rows(data_, routes, pool_),
                  Price::exposed("the rows of every split that PP offers are sent in clear, for AP "
                                 "to verify"));
  }

  PassiveSide& side_;
  const PartyData& data_;
  int max_depth_;
  bool verify_;
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

bool PassiveSide::offers(size_t place) const {
  return place < proposed_.size() && proposed_[place].score != kNoSplit;
}

Candidate PassiveSide::candidate(size_t place, int64_t) const {
  return proposed_[place].candidate;
}

Price PassiveSide::row_set_price() {
  return Price::exposed(privacy::kRowSetsInClear);
}

PassiveResult run_passive(PassiveSide& side, const PassiveContext& context,
                          const Continuation* continuation) {
  PassiveResult result;
  Follower follower(side, context);
  side.start();
  const size_t past = continuation == nullptr ? 0 : continuation->past.size();
  for (size_t tree = 0; tree < past; ++tree) {
    follower.adopt(continuation->past[tree]);
    side.replay_tree(static_cast<int>(tree),
                     PastLeaves(continuation->past[tree].leaf_of_row).leaves());
  }
  if (continuation != nullptr && continuation->in_step) continuation->in_step();
  size_t kept = follower.rules();
  const auto keep = [&](int tree) {
    if (continuation == nullptr || !continuation->keep) return;
    const bool follows = side.follows_leaves() && side.part() == PassivePart::asked;
    continuation->keep(tree, {{},
                              follower.rules_from(kept),
                              follows ? leaf_of_each_row(follower.leaves(), context.data.bins.rows)
                                      : std::vector<uint32_t>{}});
    kept = follower.rules();
  };
  TreeClock clock(context.channel);
  const int trees = side.part() == PassivePart::asked ? side.trees() : 0;
  for (int round = static_cast<int>(past); round < trees; ++round) {
    const trace::Range range("PP tree", {.tree = static_cast<uint64_t>(round)});
    clock.begin_tree();
    side.begin_tree(round);
    follower.follow_tree(round);
    side.end_tree(follower.leaves());
    clock.end_tree();
    keep(round);
  }
  if (side.part() == PassivePart::borrowed) follower.follow_borrowing(static_cast<int>(past), keep);
  result.seconds = clock.take();
  result.rules = follower.take_rules();
  result.score = side.score();
  result.metrics = side.metrics();
  return result;
}

Price score_price() {
  return Price::exposed(privacy::kScoresInClear);
}

}  // namespace maskbench
