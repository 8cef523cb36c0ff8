#include "harness/party/joint.hpp"

#include <algorithm>
#include <numeric>

namespace maskbench {

namespace {

constexpr size_t kBlockWords = size_t{1} << 17;  // of one message

const Price& price() {
  static const Price kPrice = Price::exposed(
      "which way each of PP's splits sends the rows that are predicted is sent to AP in clear");
  return kPrice;
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

void send_rule_bits(Channel& channel, const RuleBits& bits) {
  channel.send(Kind::setup, {}, std::vector<uint64_t>{bits.rows, bits.rules}, price());
  for (size_t first = 0; first < bits.bits.size(); first += kBlockWords) {
    const size_t count = std::min(kBlockWords, bits.bits.size() - first);
    const auto part = std::span(bits.bits).subspan(first, count);
    channel.send(Kind::row_sets, {}, std::vector<uint64_t>(part.begin(), part.end()), price());
  }
}

RuleBits receive_rule_bits(Channel& channel, size_t rows, std::span<const Tree> trees) {
  const auto shape = channel.receive<uint64_t>(Kind::setup);
  expect_count(Kind::setup, shape.size(), 2);
  if (shape[0] != rows || shape[1] != rules_asked_for(trees))
    throw ProtocolError("PP's rules or rows are not those of AP's trees");
  RuleBits out{rows, shape[1], {}};
  const size_t words = out.rules * out.words();
  while (out.bits.size() < words) {
    const auto part = channel.receive<uint64_t>(Kind::row_sets);
    expect_count(Kind::row_sets, part.size(), std::min(kBlockWords, words - out.bits.size()));
    out.bits.insert(out.bits.end(), part.begin(), part.end());
  }
  return out;
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
