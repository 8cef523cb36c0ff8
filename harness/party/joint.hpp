#pragma once

#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

// Which rows each of a party's rules sends left: `words` 64-bit words a rule.
struct RuleBits {
  size_t rows = 0;
  size_t rules = 0;
  std::vector<uint64_t> bits;

  size_t words() const { return (rows + 63) / 64; }
  bool goes_left(size_t rule, size_t row) const {
    return (bits[rule * words() + row / 64] >> (row % 64) & 1) != 0;
  }
};

RuleBits bits_by_bins(std::span<const SplitRule> rules, const PartyData& rows);

// PP's answer for the rows at hand: every rule's bits, also those of nodes that a row never
// reaches.
void send_rule_bits(Channel& channel, const RuleBits& bits);
// Throws ProtocolError unless PP has the rules that the trees ask for.
RuleBits receive_rule_bits(Channel& channel, size_t rows, std::span<const Tree> trees);

// Adds a tree's weights to the rows' margins.
void add_tree(const Tree& tree, const RuleBits& ap, const RuleBits& pp, std::span<float> margins);

}  // namespace maskbench
