#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/spec.hpp"
#include "harness/data/party.hpp"
#include "harness/exchange/notebook.hpp"

namespace maskbench {

// All that an attacker has: the messages it got or sent itself, its own features, what is public.
// The truth is not here; the harness scores the guess.
struct AttackInput {
  const RunSpec& spec;   // public: the protocol and its parameters
  const PartyData& own;  // the attacker's features
  size_t rows = 0;       // of the training, aligned between the parties
  std::span<const Message> messages;
  std::span<const Notebook::Entry> notes;  // what the attacker worked out itself, e.g. decrypted
  ThreadPool& pool;
  uint64_t seed = 0;  // of the attack's own randomness
  // Tells a person how far a long attack is; may be empty.
  std::function<void(int done, int total)> progress = {};
};

// score > 0: the attacker says y = 1; the larger the surer.
struct LabelGuess {
  std::vector<uint32_t> rows;
  std::vector<float> score;
  std::vector<Metric> effort = {};  // what the guess took, e.g. how much training
};

// One splitting vector: is a row active (left, unless `orient: smaller` turned it)?
struct BitsGuess {
  int64_t candidate = 0;  // its number in PP's order
  double prior = 0.5;     // share of active rows, as far as the attacker knows it
  std::vector<uint32_t> rows;
  std::vector<float> probability;
};
using BitsGuesses = std::vector<BitsGuess>;

// The wire does not carry what the attack needs.
struct Skip {
  std::string reason;
};

using AttackResult = std::variant<LabelGuess, BitsGuesses, std::vector<Metric>, Skip>;
using Attack = AttackResult (*)(const AttackInput&);

}  // namespace maskbench
