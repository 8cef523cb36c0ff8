#include "harness/party/joint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/trees/passive_score.hpp"
#include "harness/trees/predict.hpp"

namespace maskbench {

namespace {

constexpr size_t kBlockWords = size_t{1} << 17;  // of one message

Price price_of(const PassiveAnswers& answers) {
  if (answers.kind == PassiveAnswers::Kind::none)
    return Price::exposed(
        "which way each of PP's splits sends the rows that are predicted is sent to AP in clear");
  if (answers.eps > 0)  // Laplace noise or randomised response: pure eps either way
    return Price::covered({{privacy::Mechanism::response(answers.eps), {}}});
  return Price::exposed("what PP's own model says of the rows that are predicted is sent in clear");
}

size_t rules_asked_for(std::span<const Tree> trees) {
  int rules = 0;
  for (const Tree& tree : trees) {
    for (const TreeNode& node : tree.nodes) {
      if (!node.is_leaf() && node.owner == Party::pp) rules = std::max(rules, node.rule + 1);
    }
  }
  return static_cast<size_t>(rules);
}

}  // namespace

RuleBits bits_by_bins(std::span<const SplitRule> rules, const PartyData& data) {
  RuleBits out{data.bins.rows, rules.size(), {}};
  std::vector<uint32_t> all(out.rows);
  std::iota(all.begin(), all.end(), 0u);
  out.bits.resize(out.rules * out.words());
  for (size_t rule = 0; rule < out.rules; ++rule) {
    splitting_bits(data, rules[rule].candidate, all,
                   std::span(out.bits).subspan(rule * out.words(), out.words()));
  }
  return out;
}

PassiveAnswers answers_by_bins(const PassiveResult& pp, const PartyData& rows, const RandomKey& key,
                               ThreadPool& pool) {
  if (!pp.score) return {bits_by_bins(pp.rules, rows), PassiveAnswers::Kind::none, {}, 0};
  std::vector<float> scores = passive_scores(*pp.score, rows, pool);
  answer(*pp.score, key, scores);
  const double eps = pp.score->eps_query;
  if (pp.score->cuts.empty())
    return {bits_by_bins(pp.rules, rows), PassiveAnswers::Kind::scores, std::move(scores), eps};
  const PartyData levels = level_feature(*pp.score, scores);
  return {bits_by_bins(pp.rules, levels), PassiveAnswers::Kind::levels, {}, eps};
}

PassiveAnswers answers_by_values(const Model& part, const Dataset& rows, const RandomKey& key) {
  ValueAnswers values = value_answers(part, rows, key);
  PassiveAnswers out{{rows.rows(), part.pp_rules.size(), std::move(values.rule_bits)},
                     PassiveAnswers::Kind::none,
                     std::move(values.scores),
                     part.pp_score ? part.pp_score->eps_query : 0};
  if (part.pp_score)
    out.kind = out.scores.empty() ? PassiveAnswers::Kind::levels : PassiveAnswers::Kind::scores;
  return out;
}

void send_answers(Channel& channel, const PassiveAnswers& answers) {
  const Price price = price_of(answers);
  const RuleBits& own = answers.bits;
  channel.send(Kind::setup, {},
               std::vector<uint64_t>{own.rows, own.rules, static_cast<uint64_t>(answers.kind)},
               Price::not_personal("how many rows and splits there are AP knows"));
  if (answers.kind == PassiveAnswers::Kind::scores)
    channel.send(Kind::setup, {}, answers.scores, price);
  for (size_t first = 0; first < own.bits.size(); first += kBlockWords) {
    const size_t count = std::min(kBlockWords, own.bits.size() - first);
    const auto part = std::span(own.bits).subspan(first, count);
    channel.send(Kind::row_sets, {}, std::vector<uint64_t>(part.begin(), part.end()), price);
  }
}

PassiveAnswers receive_answers(Channel& channel, size_t rows, std::span<const Tree> trees) {
  const auto shape = channel.receive<uint64_t>(Kind::setup);
  expect_count(Kind::setup, shape.size(), 3);
  if (shape[0] != rows || shape[1] != rules_asked_for(trees))
    throw ProtocolError("PP's rules or rows are not those of AP's trees");
  if (shape[2] > static_cast<uint64_t>(PassiveAnswers::Kind::levels))
    throw ProtocolError("PP answers in a way that is none");
  PassiveAnswers out{{rows, shape[1], {}}, static_cast<PassiveAnswers::Kind>(shape[2]), {}, 0};
  if (out.kind == PassiveAnswers::Kind::scores) {
    out.scores = channel.receive<float>(Kind::setup);
    expect_count(Kind::setup, out.scores.size(), rows);
    if (!std::ranges::all_of(out.scores, [](float score) { return std::isfinite(score); }))
      throw ProtocolError("PP's answers are no numbers");
  }
  const size_t words = out.bits.rules * out.bits.words();
  while (out.bits.bits.size() < words) {
    const auto part = channel.receive<uint64_t>(Kind::row_sets);
    expect_count(Kind::row_sets, part.size(), std::min(kBlockWords, words - out.bits.bits.size()));
    out.bits.bits.insert(out.bits.bits.end(), part.begin(), part.end());
  }
  return out;
}

void add_scores(const PassiveAnswers& answers, float weight, std::span<float> margins) {
  if (answers.kind != PassiveAnswers::Kind::scores) return;
  for (size_t row = 0; row < margins.size(); ++row) margins[row] += weight * answers.scores[row];
}

void add_tree(const Tree& tree, const RuleBits& ap, const RuleBits& pp, std::span<float> margins) {
  for (size_t row = 0; row < margins.size(); ++row) {
    size_t k = 0;
    while (!tree.nodes[k].is_leaf()) {
      const TreeNode& node = tree.nodes[k];
      const RuleBits& owner = node.owner == Party::ap ? ap : pp;
      const bool left = owner.goes_left(static_cast<size_t>(node.rule), row);
      k = static_cast<size_t>(left ? node.left : node.right);
    }
    margins[row] += tree.nodes[k].weight;
  }
}

}  // namespace maskbench
