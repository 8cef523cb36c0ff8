#include "baselines/methods.hpp"
#include "harness/base/error.hpp"
#include "harness/base/random.hpp"

namespace maskbench {

namespace {

// AP judges PP's cut from the rows it sends; its labels never leave it.
class RandomSplitActive : public ActiveSide {
 public:
  explicit RandomSplitActive(const ActiveContext& c) : ActiveSide(c, c.score_params(), c.pool) {}

  std::vector<Proposal> proposals(const Level& level) override {
    const RowBits bits = channel_.receive<uint64_t>(Kind::row_sets);
    std::vector<size_t> first_word = {0};
    for (const LevelNode& node : level.nodes) {
      first_word.push_back(first_word.back() + bit_words(node.rows.size()));
    }
    expect_count(Kind::row_sets, bits.size(), first_word.back());
    std::vector<Proposal> proposals(level.nodes.size());
    pool_.run(level.nodes.size(), [&](size_t place, int) {
      proposals[place] = {clear_score(level.nodes[place].rows, bits.data() + first_word[place]), 0};
    });
    return proposals;
  }
  Price choice_price() override { return clean_choice_price(); }
};

// PP offers one cut a node, drawn at random from all its candidates.
class RandomSplitPassive : public PassiveSide {
 public:
  explicit RandomSplitPassive(const PassiveContext& c)
      : PassiveSide(c), key_(derive_key(c.key, "random-split")) {
    if (data_.candidates.empty())
      throw Error("random-split: every feature of PP is constant; there is nothing to cut");
  }

  void offer(const Level& level) override {
    offered_.clear();
    std::vector<Route> routes;
    const auto choices = static_cast<uint32_t>(data_.candidates.size());
    for (const LevelNode& node : level.nodes) {
      Draws draws(key_, static_cast<uint32_t>(level.tree), static_cast<uint32_t>(node.node));
      offered_.push_back(data_.candidates[draws.below(choices)]);
      routes.push_back({offered_.back(), node.rows});
    }
    channel_.send(Kind::row_sets, {level.tree, level.depth}, route_rows(data_, routes, pool_),
                  Price::exposed("the rows of a random cut of PP's features are sent in clear, for "
                                 "every node"));
  }
  Candidate candidate(size_t place, int64_t) const override { return offered_[place]; }

 private:
  RandomKey key_;
  std::vector<Candidate> offered_;
};

double offer_bytes(const RunSpec&, const NodeShape& node) {
  return node.rows / 8;
}

}  // namespace

const Method& random_split_method() {
  static const Method method = {
      .id = "random-split",
      .what = "PP's cuts drawn at random, leaves by AP: the second floor",
      .active = active_side<RandomSplitActive>,
      .passive = passive_side<RandomSplitPassive>,
      .uses = {"privacy.noise_key", "noise."},
      .own_bytes = offer_bytes,
  };
  return method;
}

}  // namespace maskbench
