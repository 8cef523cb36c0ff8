#include "baselines/methods.hpp"
#include "harness/core/random.hpp"

namespace maskbench {

namespace {

// AP judges PP's cut from the rows it sends; its labels never leave it.
class RandomSplitActive : public ActiveSide {
 public:
  using ActiveSide::ActiveSide;

  std::vector<Proposal> proposals(const Level& level, Wire& wire) override {
    const RowBits bits = wire.receive<uint64_t>(Party::ap, Kind::row_sets);
    std::vector<size_t> first_word = {0};
    for (const LevelNode& node : level.nodes) {
      first_word.push_back(first_word.back() + bit_words(node.rows.size()));
    }
    std::vector<Proposal> proposals(level.nodes.size());
    pool_.run(level.nodes.size(), [&](size_t place, int) {
      proposals[place] = {score(level.nodes[place], bits.data() + first_word[place]), 0};
    });
    return proposals;
  }

 private:
  double score(const LevelNode& node, const uint64_t* bits) const {
    GradientSum side[2];
    for (size_t j = 0; j < node.rows.size(); ++j) {
      const GradientPair& row = clean_->rows[node.rows[j]];
      side[bits[j / 64] >> (j % 64) & 1] += {row.g, row.h};
    }
    const FixedPoint& grid = clean_->grid;
    const double gl = grid.real(side[1].g), hl = grid.real(side[1].h);
    const double gr = grid.real(side[0].g), hr = grid.real(side[0].h);
    if (!eligible(hl, hr, params_)) return kNoSplit;
    return split_score(gl, hl, gr, hr, leaf_quality(gl + gr, hl + hr, params_.lambda), params_);
  }
};

// PP offers one cut a node, drawn at random from all its candidates.
class RandomSplitPassive : public PassiveSide {
 public:
  RandomSplitPassive(const PartyData& data, ThreadPool& pool, PhiloxKey key)
      : PassiveSide(data, pool), key_(key), candidates_(candidates_of(data.cuts)) {}

  bool turn(const Level& level, Wire& wire) override {
    offered_.clear();
    std::vector<Route> routes;
    for (const LevelNode& node : level.nodes) {
      Draws draws(key_, static_cast<uint32_t>(level.tree), static_cast<uint32_t>(node.node));
      offered_.push_back(candidates_[draws.below(static_cast<uint32_t>(candidates_.size()))]);
      routes.push_back({offered_.back(), node.rows});
    }
    wire.send(Party::pp, Kind::row_sets, {level.tree, level.depth},
              route_rows(data_, routes, pool_));
    return true;
  }

 protected:
  Candidate candidate(size_t place, int64_t) const override { return offered_[place]; }

 private:
  PhiloxKey key_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> offered_;
};

}  // namespace

Method make_random_split(const MethodContext& c) {
  return {
      std::make_unique<RandomSplitActive>(c.ap, c.score_params(), c.pool),
      std::make_unique<RandomSplitPassive>(c.pp, c.pool, derive_key(c.noise_key, "random-split"))};
}

}  // namespace maskbench
