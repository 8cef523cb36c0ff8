#include "harness/exchange/active_side.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/exchange/level_trace.hpp"
#include "harness/privacy/exposures.hpp"
#include "kernels/math.hpp"
#include "kernels/random/philox.hpp"

namespace maskbench {

namespace {

using Verdict = Decision::Verdict;

// A node's split, decided: whose it is and which rows go left.
struct Choice {
  Decision decision;
  Candidate candidate;  // of AP's search, if AP routes
  double score = kNoSplit;

  bool ap_routes() const {
    return decision.verdict == Verdict::ap || decision.verdict == Verdict::borrowed;
  }
};

// Grows trees as AP sees them: its own search, PP asked over the channel.
class Grower {
 public:
  Grower(ActiveSide& side, const ActiveContext& context)
      : side_(side),
        context_(context),
        channel_(context.channel),
        pool_(context.pool),
        rows_(context.data.bins.rows, context.pool) {}

  std::span<const LeafRows> leaves() const { return rows_.leaves(); }
  std::vector<SplitRule> take_rules() { return std::move(rules_); }
  std::vector<SplitRule> rules_from(size_t first) const {
    return {rules_.begin() + static_cast<std::ptrdiff_t>(first), rules_.end()};
  }
  size_t rules() const { return rules_.size(); }

  // A tree that was grown before.
  void adopt(const PastTree& past) {
    rules_.insert(rules_.end(), past.rules.begin(), past.rules.end());
    for (const TreeNode& node : past.tree.nodes)
      pp_rules_ += !node.is_leaf() && node.owner == Party::pp;
  }

  Tree grow(int number) {
    tree_.nodes.assign(1, {});
    Level level = rows_.root(number);
    while (!level.nodes.empty()) level = grow_level(level);
    return tree_;
  }

 private:
  Level grow_level(const Level& level) {
    if (level.depth == context_.spec.train.max_depth) {
      rows_.settle(level);
      return {};
    }
    const LevelTrace trace("AP level", level, context_.data, channel_);
    const std::vector<Choice> choices = choose(level);
    const RowBits from_pp = tell_pp(level, choices);
    const RowBits from_ap = route_own(level, choices);
    add_nodes(level, choices);
    std::vector<Decision> decisions;
    for (const Choice& choice : choices) decisions.push_back(choice.decision);
    return rows_.next(level, decisions, from_ap, from_pp);
  }

  bool is_solo() const { return side_.passive_part() != PassivePart::asked; }

  bool is_borrowed(const Candidate& c) const { return c.feature >= context_.data.cuts.size(); }

  // The same split as PP numbers its features.
  Candidate as_pp(Candidate c) const {
    c.feature = static_cast<uint16_t>(c.feature - context_.data.cuts.size());
    return c;
  }

  std::vector<Choice> choose(const Level& level) {
    LevelHistograms& search = [&]() -> LevelHistograms& {
      const trace::Range range("AP own splits");
      return side_.search_own(level);
    }();
    std::vector<Proposal> offered =
        is_solo() ? std::vector<Proposal>(level.nodes.size()) : side_.proposals(level);
    expect_count(Kind::proposals, offered.size(), level.nodes.size());
    if (context_.spec.verify && !is_solo()) verify(level, offered);
    const std::vector<BestSplit> own = search.found();
    std::vector<Choice> choices(level.nodes.size());
    for (size_t place = 0; place < choices.size(); ++place) {
      const Candidate& mine = own[place].candidate;
      if (!(std::max(own[place].score, offered[place].score) > kMinGain)) continue;
      if (offered[place].score > own[place].score) {
        choices[place] = {{offered[place].id, Verdict::pp}, {}, offered[place].score};
      } else if (is_borrowed(mine)) {
        choices[place] = {{encode(as_pp(mine)), Verdict::borrowed}, mine, own[place].score};
      } else {
        choices[place] = {{-1, Verdict::ap}, mine, own[place].score};
      }
    }
    return choices;
  }

  // PP's scores are replaced by AP's own of the rows that PP's offers would send left.
  void verify(const Level& level, std::vector<Proposal>& offered) {
    const RowBits bits = channel_.receive<uint64_t>(Kind::row_sets);
    size_t words = 0;
    for (size_t place = 0; place < offered.size(); ++place)
      if (offered[place].score != kNoSplit) words += bit_words(level.nodes[place].rows.size());
    expect_count(Kind::row_sets, bits.size(), words);
    size_t word = 0;
    for (size_t place = 0; place < offered.size(); ++place) {
      if (offered[place].score == kNoSplit) continue;
      offered[place].score = side_.clear_score(level.nodes[place].rows, bits.data() + word);
      word += bit_words(level.nodes[place].rows.size());
    }
  }

  // Sends the decisions and gets the rows that go left of PP's splits. A solo AP only tells PP
  // which of PP's splits it borrowed, for PP to apply when the model is used.
  RowBits tell_pp(const Level& level, const std::vector<Choice>& choices) {
    std::vector<Decision> decisions;
    for (const Choice& choice : choices) {
      if (!is_solo() || choice.decision.verdict == Verdict::borrowed)
        decisions.push_back(choice.decision);
    }
    if (decisions.empty()) return {};
    channel_.send(Kind::decisions, {level.tree, level.depth}, std::move(decisions),
                  side_.choice_price());
    if (is_solo()) return {};
    size_t words = 0;
    for (size_t place = 0; place < choices.size(); ++place) {
      if (choices[place].decision.verdict == Verdict::pp)
        words += bit_words(level.nodes[place].rows.size());
    }
    RowBits bits = channel_.receive<uint64_t>(Kind::row_sets);
    expect_count(Kind::row_sets, bits.size(), words);
    return bits;
  }

  RowBits route_own(const Level& level, const std::vector<Choice>& choices) {
    std::vector<Route> routes;
    for (size_t place = 0; place < choices.size(); ++place) {
      if (choices[place].ap_routes())
        routes.push_back({choices[place].candidate, level.nodes[place].rows});
    }
    RowBits bits = route_rows(side_.searched(), routes, pool_);
    if (!is_solo())
      channel_.send(Kind::row_sets, {level.tree, level.depth}, bits, side_.choice_price());
    return bits;
  }

  void add_nodes(const Level& level, const std::vector<Choice>& choices) {
    for (size_t place = 0; place < choices.size(); ++place) {
      const Choice& choice = choices[place];
      if (choice.decision.verdict == Verdict::leaf) continue;
      const bool is_own = choice.decision.verdict == Verdict::ap;
      const int left = static_cast<int>(tree_.nodes.size());
      tree_.nodes.resize(tree_.nodes.size() + 2);
      tree_.nodes[static_cast<size_t>(level.nodes[place].node)] = {
          left,
          left + 1,
          is_own ? Party::ap : Party::pp,
          is_own ? keep_rule(choice.candidate) : pp_rules_++,
          choice.score,
          0.0f};
    }
  }

  int keep_rule(const Candidate& candidate) {
    rules_.push_back(context_.data.rule(candidate));
    return static_cast<int>(rules_.size()) - 1;
  }

  ActiveSide& side_;
  const ActiveContext& context_;
  Channel& channel_;
  ThreadPool& pool_;
  TreeRows rows_;
  Tree tree_;
  std::vector<SplitRule> rules_;
  int pp_rules_ = 0;  // PP keeps them; AP only numbers them
};

// Leaf weights from AP's gradients, added to the margins of the leaf's rows.
void settle_leaves(const TrainSpec& train, const Gradients& gradients,
                   std::span<const LeafRows> leaves, ThreadPool& pool, Tree& tree,
                   std::vector<float>& margins) {
  pool.run(leaves.size(), [&](size_t task, int) {
    GradientSum sum;
    for (uint32_t row : leaves[task].rows) {
      sum += {gradients.rows[row].g, gradients.rows[row].h};
    }
    // Noisy hessians can sum to less than nothing; a leaf then counts as having none.
    sum.h = std::max<int64_t>(sum.h, 0);
    const double weight =
        leaf_weight(gradients.grid.real(sum.g), gradients.grid.real(sum.h), train.lambda);
    const float step = leaf_step(train.learning_rate, weight);
    tree.nodes[static_cast<size_t>(leaves[task].node)].weight = step;
    for (uint32_t row : leaves[task].rows) margins[row] += step;
  });
}

// What an earlier training had grown, as if this one had.
void adopt_past(const Continuation& continuation, ActiveSide& side, Grower& grower,
                ActiveResult& result) {
  for (const PastTree& past : continuation.past) {
    for (size_t row = 0; row < result.margins.size(); ++row)
      result.margins[row] += past.tree.nodes[past.leaf_of_row[row]].weight;
    side.replay_tree(static_cast<int>(result.trees.size()), PastLeaves(past.leaf_of_row).leaves());
    grower.adopt(past);
    result.trees.push_back(past.tree);
  }
  if (continuation.in_step) continuation.in_step();
}

}  // namespace

ActiveSide::ActiveSide(const ActiveContext& context, const ScoreParams& params,
                       const Compute& compute)
    : spec_(context.spec),
      data_(context.data),
      params_(params),
      compute_(compute),
      pool_(context.pool),
      channel_(context.channel),
      notes_(context.notes) {}

LevelHistograms& ActiveSide::search_own(const Level& level) {
  if (!search_) search_ = std::make_unique<SplitSearch>(searched(), params_, compute_);
  return search_->begin(level, *clean_);
}

double ActiveSide::clear_score(std::span<const uint32_t> rows, const uint64_t* bits) const {
  GradientSum side[2];
  for (size_t j = 0; j < rows.size(); ++j) {
    const GradientPair& row = clean_->rows[rows[j]];
    side[bits[j / 64] >> (j % 64) & 1] += {row.g, row.h};
  }
  const FixedPoint& grid = clean_->grid;
  const double gl = grid.real(side[1].g), hl = grid.real(side[1].h);
  const double gr = grid.real(side[0].g), hr = grid.real(side[0].h);
  if (!eligible(hl, hr, params_)) return kNoSplit;
  return split_score(gl, hl, gr, hr, leaf_quality(gl + gr, hl + hr, params_.lambda), params_);
}

std::vector<Proposal> ActiveSide::proposals(const Level&) {
  return channel_.receive<Proposal>(Kind::proposals);
}

std::vector<float> initial_margins(const TrainSpec& train, std::span<const float> labels,
                                   uint64_t seed) {
  std::vector<float> margins(labels.size(), 0.0f);
  if (train.base_score == BaseScore::prior) {
    double sum = 0;
    for (float y : labels) sum += y;
    const double mean = sum / static_cast<double>(labels.size());
    const double prior = train.is_regression()
                             ? mean
                             : log_f64(std::max(mean, 1e-6)) - log_f64(std::max(1 - mean, 1e-6));
    std::fill(margins.begin(), margins.end(), static_cast<float>(prior));
  } else if (train.base_score == BaseScore::random) {
    const PhiloxKey key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    for (size_t j = 0; j < margins.size(); ++j) {
      const PhiloxBlock block = philox({{static_cast<uint32_t>(j), 0x6d617267u, 0, 0}}, key);
      margins[j] = static_cast<float>(block.x[0] >> 8) * 0x1p-23f - 1.0f;
    }
  }
  return margins;
}

ActiveResult run_active(ActiveSide& side, const ActiveContext& context, uint64_t seed,
                        const TrainHooks& hooks) {
  const TrainSpec& train = context.spec.train;
  ActiveResult result;
  result.backend = side.backend();
  if (context.spec.backend == BackendChoice::cuda && !result.backend.starts_with("cuda"))
    throw Error("method '" + context.spec.method +
                "' has no CUDA path; set backend to cpu or auto");
  result.margins = initial_margins(train, context.labels, seed);
  if (train.base_score != BaseScore::random) result.base_margin = result.margins.front();
  Grower grower(side, context);
  Gradients gradients;
  side.start();
  const Continuation* going_on = hooks.continuation;
  if (going_on != nullptr) adopt_past(*going_on, side, grower, result);
  TreeClock clock(context.channel);
  for (int round = static_cast<int>(result.trees.size()); round < side.trees(); ++round) {
    result.stopped = hooks.stop && hooks.stop();
    if (result.stopped) break;
    const size_t rules_before = grower.rules();
    const trace::Range range("AP tree", {.tree = static_cast<uint64_t>(round)});
    clock.begin_tree();
    compute_gradients(train, context.labels, result.margins, context.pool, gradients);
    side.begin_tree(round, gradients);
    Tree tree = grower.grow(round);
    settle_leaves(train, side.leaf_gradients(), grower.leaves(), context.pool, tree,
                  result.margins);
    side.end_tree(grower.leaves());
    clock.end_tree();
    if (going_on != nullptr && going_on->keep)
      going_on->keep(round, {tree, grower.rules_from(rules_before),
                             leaf_of_each_row(grower.leaves(), result.margins.size())});
    result.trees.push_back(std::move(tree));
    if (hooks.on_tree) hooks.on_tree(round);
  }
  if (side.passive_part() == PassivePart::borrowed && !result.stopped)
    // That no split, or no more splits, were borrowed is a choice, too.
    context.channel.send(Kind::setup, {}, std::vector<uint8_t>{}, side.choice_price());
  result.seconds = clock.take();
  result.rules = grower.take_rules();
  result.metrics = side.metrics();
  return result;
}

Price clean_choice_price() {
  return Price::exposed(privacy::kChoicesInClear);
}

}  // namespace maskbench
