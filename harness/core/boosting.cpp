#include "harness/core/boosting.hpp"

#include <algorithm>
#include <chrono>

#include "kernels/math.hpp"
#include "kernels/philox.hpp"

namespace maskbench {

namespace {

// A node's split, decided: whose it is and which rows go left.
struct Choice {
  Decision decision;
  Candidate candidate;  // of AP's search, if AP routes
  double score = kNoSplit;

  bool ap_routes() const {
    return decision.verdict == Decision::Verdict::ap ||
           decision.verdict == Decision::Verdict::borrowed;
  }
};

// Grows one tree as AP sees it: its own search, PP asked over the wire.
class TreeGrower {
 public:
  TreeGrower(const TrainSpec& train, Method& method, Wire& wire, ThreadPool& pool, size_t rows)
      : train_(train), ap_(*method.ap), pp_(*method.pp), wire_(wire), pool_(pool), rows_(rows) {}

  const std::vector<LeafRows>& leaves() const { return leaves_; }

  Tree grow(int number) {
    tree_.nodes.assign(1, {});
    leaves_.clear();
    Level level = rows_.root(number);
    while (!level.nodes.empty()) level = grow_level(level);
    return tree_;
  }

 private:
  Level grow_level(const Level& level) {
    if (level.depth == train_.max_depth) {
      for (const LevelNode& node : level.nodes) leaves_.push_back({node.node, node.rows});
      return {};
    }
    const std::vector<Choice> choices = choose(level);
    const int first_pp_rule = static_cast<int>(pp_.rules().size());
    const RowBits from_pp = tell_pp(level, choices);
    const RowBits from_ap = route_own(level, choices);
    return split_rows(level, choices, from_ap, from_pp, first_pp_rule);
  }

  std::vector<Proposal> ask_pp(const Level& level) {
    if (ap_.is_solo()) return std::vector<Proposal>(level.nodes.size());
    do {
      ap_.turn(level, wire_);
    } while (!pp_.turn(level, wire_));
    return ap_.proposals(level, wire_);
  }

  std::vector<Choice> choose(const Level& level) {
    const std::vector<BestSplit> own = ap_.own_splits(level);
    const std::vector<Proposal> offered = ask_pp(level);
    std::vector<Choice> choices(level.nodes.size());
    for (size_t place = 0; place < choices.size(); ++place) {
      using enum Decision::Verdict;
      const Candidate& mine = own[place].candidate;
      if (!(std::max(own[place].score, offered[place].score) > kMinGain)) continue;
      if (offered[place].score > own[place].score) {
        choices[place] = {{offered[place].id, pp}, {}, offered[place].score};
      } else if (ap_.is_borrowed(mine)) {
        choices[place] = {{encode(ap_.as_pp(mine)), borrowed}, mine, own[place].score};
      } else {
        choices[place] = {{-1, ap}, mine, own[place].score};
      }
    }
    return choices;
  }

  // Sends the decisions and gets the rows that go left of PP's splits. A solo AP only tells PP
  // which of PP's splits it borrowed, for PP to apply when the model is used.
  RowBits tell_pp(const Level& level, const std::vector<Choice>& choices) {
    std::vector<Decision> decisions;
    for (const Choice& choice : choices) {
      if (!ap_.is_solo() || choice.decision.verdict == Decision::Verdict::borrowed) {
        decisions.push_back(choice.decision);
      }
    }
    if (decisions.empty()) return {};
    wire_.send(Party::ap, Kind::decisions, {level.tree, level.depth}, std::move(decisions));
    pp_.take_decisions(level, wire_);
    return ap_.is_solo() ? RowBits{} : wire_.receive<uint64_t>(Party::ap, Kind::row_sets);
  }

  RowBits route_own(const Level& level, const std::vector<Choice>& choices) {
    std::vector<Route> routes;
    for (size_t place = 0; place < choices.size(); ++place) {
      if (choices[place].ap_routes())
        routes.push_back({choices[place].candidate, level.nodes[place].rows});
    }
    RowBits bits = route_rows(ap_.searched(), routes, pool_);
    if (!ap_.is_solo()) {
      wire_.send(Party::ap, Kind::row_sets, {level.tree, level.depth}, bits);
      wire_.receive<uint64_t>(Party::pp, Kind::row_sets);
    }
    return bits;
  }

  Level split_rows(const Level& level, const std::vector<Choice>& choices, const RowBits& from_ap,
                   const RowBits& from_pp, int next_pp_rule) {
    std::vector<RowSets::Split> splits;
    size_t ap_word = 0, pp_word = 0;
    for (size_t place = 0; place < choices.size(); ++place) {
      const LevelNode& node = level.nodes[place];
      const Choice& choice = choices[place];
      if (choice.decision.verdict == Decision::Verdict::leaf) {
        leaves_.push_back({node.node, node.rows});
        continue;
      }
      const bool is_own = choice.decision.verdict == Decision::Verdict::ap;
      const int left = static_cast<int>(tree_.nodes.size());
      tree_.nodes.resize(tree_.nodes.size() + 2);
      tree_.nodes[static_cast<size_t>(node.node)] = {
          left,
          left + 1,
          is_own ? Party::ap : Party::pp,
          is_own ? ap_.keep_rule(choice.candidate) : next_pp_rule++,
          choice.score,
          0.0f};
      const size_t words = bit_words(node.rows.size());
      size_t& word = choice.ap_routes() ? ap_word : pp_word;
      const RowBits& bits = choice.ap_routes() ? from_ap : from_pp;
      splits.push_back({place, left, left + 1, std::span(bits).subspan(word, words)});
      word += words;
    }
    return rows_.split(level, splits, pool_);
  }

  const TrainSpec& train_;
  ActiveSide& ap_;
  PassiveSide& pp_;
  Wire& wire_;
  ThreadPool& pool_;
  RowSets rows_;
  Tree tree_;
  std::vector<LeafRows> leaves_;
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
    const auto step = static_cast<float>(train.learning_rate * weight);
    tree.nodes[static_cast<size_t>(leaves[task].node)].weight = step;
    for (uint32_t row : leaves[task].rows) margins[row] += step;
  });
}

}  // namespace

std::vector<float> initial_margins(const TrainSpec& train, std::span<const float> labels,
                                   uint64_t seed) {
  std::vector<float> margins(labels.size(), 0.0f);
  if (train.base_score == "prior") {
    double sum = 0;
    for (float y : labels) sum += y;
    const double mean = sum / static_cast<double>(labels.size());
    const double prior = train.objective == "regression"
                             ? mean
                             : log_f64(std::max(mean, 1e-6)) - log_f64(std::max(1 - mean, 1e-6));
    std::fill(margins.begin(), margins.end(), static_cast<float>(prior));
  } else if (train.base_score == "random") {
    const PhiloxKey key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    for (size_t j = 0; j < margins.size(); ++j) {
      const PhiloxBlock block = philox({{static_cast<uint32_t>(j), 0x6d617267u, 0, 0}}, key);
      margins[j] = static_cast<float>(block.x[0] >> 8) * 0x1p-23f - 1.0f;
    }
  }
  return margins;
}

TrainResult train_model(const TrainSpec& train, std::span<const float> labels, uint64_t seed,
                        Method& method, Wire& wire, ThreadPool& pool, const TrainHooks& hooks) {
  TrainResult result;
  result.margins = initial_margins(train, labels, seed);
  if (train.base_score != "random") result.model.base_margin = result.margins.front();
  TreeGrower grower(train, method, wire, pool, labels.size());
  Gradients gradients;
  method.ap->start(wire);
  method.pp->start(wire);
  const int rounds = std::min(train.rounds, method.ap->max_trees());
  for (int round = 0; round < rounds; ++round) {
    if (hooks.stop && hooks.stop()) {
      result.stopped = true;
      break;
    }
    const auto begin = std::chrono::steady_clock::now();
    compute_gradients(train, labels, result.margins, pool, gradients);
    method.ap->begin_tree(round, gradients, wire);
    method.pp->begin_tree(round, wire);
    Tree tree = grower.grow(round);
    settle_leaves(train, method.ap->leaf_gradients(), grower.leaves(), pool, tree, result.margins);
    method.ap->end_tree(grower.leaves());
    method.pp->end_tree(grower.leaves());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    result.seconds.push_back(seconds.count());
    result.model.trees.push_back(std::move(tree));
    if (hooks.on_tree) hooks.on_tree(round, result.model.trees.back(), seconds.count());
  }
  result.model.ap_rules = method.ap->rules();
  result.model.pp_rules = method.pp->rules();
  return result;
}

}  // namespace maskbench
