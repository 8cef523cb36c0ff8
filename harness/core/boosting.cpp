#include "harness/core/boosting.hpp"

#include <algorithm>
#include <chrono>

#include "kernels/math.hpp"
#include "kernels/philox.hpp"

namespace maskbench {

namespace {

struct Leaf {
  int node;
  std::span<const uint32_t> rows;
};

// Grows one tree: AP's view of the loop, with PP asked over the wire.
class TreeGrower {
 public:
  TreeGrower(const TrainSpec& train, Method& method, Wire& wire, ThreadPool& pool, size_t rows)
      : train_(train), method_(method), wire_(wire), pool_(pool), rows_(rows) {}

  const std::vector<Leaf>& leaves() const { return leaves_; }

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
    const std::vector<BestSplit> own = method_.ap->own_splits(level);
    do {
      method_.ap->turn(level, wire_);
    } while (!method_.pp->turn(level, wire_));
    return apply(level, own, wire_.receive<Proposal>(Party::ap, Kind::proposals));
  }

  Level apply(const Level& level, const std::vector<BestSplit>& own,
              const std::vector<Proposal>& offered) {
    std::vector<Verdict> verdicts(level.nodes.size());
    for (size_t place = 0; place < verdicts.size(); ++place) {
      const double score = std::max(own[place].score, offered[place].score);
      verdicts[place] = !(score > kMinGain)                        ? Verdict::leaf
                        : own[place].score >= offered[place].score ? Verdict::ap
                                                                   : Verdict::pp;
    }
    wire_.send(Party::ap, Kind::decisions, {level.tree, level.depth}, verdicts);
    const size_t pp_rules = method_.pp->rules().size();
    method_.pp->take_decisions(level, wire_);
    const RowBits from_pp = wire_.receive<uint64_t>(Party::ap, Kind::row_sets);
    const RowBits from_ap = route_own(level, own, verdicts);
    wire_.send(Party::ap, Kind::row_sets, {level.tree, level.depth}, from_ap);
    wire_.receive<uint64_t>(Party::pp, Kind::row_sets);
    return split_rows(level, own, offered, verdicts, from_ap, from_pp, static_cast<int>(pp_rules));
  }

  RowBits route_own(const Level& level, const std::vector<BestSplit>& own,
                    const std::vector<Verdict>& verdicts) {
    own_rules_.assign(level.nodes.size(), -1);
    std::vector<size_t> places, offsets = {0};
    for (size_t place = 0; place < verdicts.size(); ++place) {
      if (verdicts[place] != Verdict::ap) continue;
      places.push_back(place);
      offsets.push_back(offsets.back() + bit_words(level.nodes[place].rows.size()));
    }
    RowBits bits(offsets.back());
    for (size_t k = 0; k < places.size(); ++k) {
      own_rules_[places[k]] = method_.ap->own_split(
          level.nodes[places[k]], own[places[k]].candidate, std::span(bits).subspan(offsets[k]));
    }
    return bits;
  }

  Level split_rows(const Level& level, const std::vector<BestSplit>& own,
                   const std::vector<Proposal>& offered, const std::vector<Verdict>& verdicts,
                   const RowBits& from_ap, const RowBits& from_pp, int next_pp_rule) {
    std::vector<RowSets::Split> splits;
    size_t ap_word = 0, pp_word = 0;
    for (size_t place = 0; place < verdicts.size(); ++place) {
      const LevelNode& node = level.nodes[place];
      if (verdicts[place] == Verdict::leaf) {
        leaves_.push_back({node.node, node.rows});
        continue;
      }
      const bool is_own = verdicts[place] == Verdict::ap;
      const int left = static_cast<int>(tree_.nodes.size());
      tree_.nodes.resize(tree_.nodes.size() + 2);
      TreeNode& grown = tree_.nodes[static_cast<size_t>(node.node)];
      grown = {left,
               left + 1,
               is_own ? Party::ap : Party::pp,
               is_own ? own_rules_[place] : next_pp_rule++,
               is_own ? own[place].score : offered[place].score,
               0.0f};
      const size_t words = bit_words(node.rows.size());
      size_t& word = is_own ? ap_word : pp_word;
      splits.push_back(
          {place, left, left + 1, std::span(is_own ? from_ap : from_pp).subspan(word, words)});
      word += words;
    }
    return rows_.split(level, splits, pool_);
  }

  const TrainSpec& train_;
  Method& method_;
  Wire& wire_;
  ThreadPool& pool_;
  RowSets rows_;
  Tree tree_;
  std::vector<Leaf> leaves_;
  std::vector<int> own_rules_;  // of the level's nodes; -1 where AP owns no split
};

// Leaf weights from AP's gradients, added to the margins of the leaf's rows.
void settle_leaves(const TrainSpec& train, const Gradients& gradients,
                   const std::vector<Leaf>& leaves, ThreadPool& pool, Tree& tree,
                   std::vector<float>& margins) {
  pool.run(leaves.size(), [&](size_t task, int) {
    GradientSum sum;
    for (uint32_t row : leaves[task].rows) {
      sum += {gradients.rows[row].g, gradients.rows[row].h};
    }
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
  for (int round = 0; round < train.rounds; ++round) {
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
