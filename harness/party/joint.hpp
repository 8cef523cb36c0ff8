#pragma once

#include <span>
#include <vector>

#include "harness/data/party.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/exchange/passive_side.hpp"
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

// PP's answers for the rows at hand: every rule's bits, also those of nodes that a row never
// reaches, and of a PP with a model of its own what that says.
struct PassiveAnswers {
  enum class Kind : uint64_t {
    none,    // no model of its own
    scores,  // to be added to the margins
    levels,  // the rules are about the score's level: the bits say it all
  };
  RuleBits bits;
  Kind kind = Kind::none;
  std::vector<float> scores;
  double eps = 0;  // of one answer of PP's own model; 0: in clear
};
PassiveAnswers answers_by_bins(const PassiveResult& pp, const PartyData& rows, const RandomKey& key,
                               ThreadPool& pool);
PassiveAnswers answers_by_values(const Model& part, const Dataset& rows, const RandomKey& key);

void send_answers(Channel& channel, const PassiveAnswers& answers);
// Throws ProtocolError unless PP has the rules that the trees ask for.
PassiveAnswers receive_answers(Channel& channel, size_t rows, std::span<const Tree> trees);

// Adds PP's scores, if there are any, to the rows' margins.
void add_scores(const PassiveAnswers& answers, float weight, std::span<float> margins);

// Adds a tree's weights to the rows' margins.
void add_tree(const Tree& tree, const RuleBits& ap, const RuleBits& pp, std::span<float> margins);

}  // namespace maskbench
