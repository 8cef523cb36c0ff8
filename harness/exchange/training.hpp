#pragma once

#include <array>
#include <functional>
#include <vector>

#include "harness/exchange/method.hpp"

namespace maskbench {

// Seconds of one tree: the parties' own computing, and what neither computed.
struct TreeTimes {
  double ap = 0, pp = 0, waiting = 0;
  double total() const { return ap + pp + waiting; }
};

// What a training of both parties in one process is made from.
struct TrainInput {
  const Method& method;
  const RunSpec& spec;
  const PartyData& ap;
  std::span<const float> labels;
  const PartyData& pp;
  ThreadPool& pool;
  PartyKey ap_key, pp_key;  // of each party's randomness
  uint64_t seed = 0;        // of random initial margins
  int device = 0;           // of the backend cuda
  // What computes for a party; empty: the backend that the spec names.
  std::function<Compute()> compute = {};
};

// What is kept of it beside the model, for whoever judges.
struct Records {
  Tape tape;
  std::array<Notebook, 2> notes;  // by party

  Notebook& of(Party party) { return notes[static_cast<size_t>(party)]; }
  const Notebook& of(Party party) const { return notes[static_cast<size_t>(party)]; }
};

// Bytes that a party sent, as their prices say.
struct PricedBytes {
  std::array<uint64_t, kKinds> personal{}, free{};
};

struct TrainResult {
  Model model;                     // both parties' parts
  std::vector<float> margins;      // of the training rows at the end
  std::vector<TreeTimes> seconds;  // of each tree
  bool stopped = false;
  std::string backend;
  std::vector<Metric> metrics;             // AP's, then PP's
  std::array<privacy::Ledger, 2> ledgers;  // by party
  std::array<PricedBytes, 2> priced;       // by party
};

// Runs both parties' programs in turns, with a baton between them.
TrainResult train(const TrainInput& input, Records& records, const TrainHooks& hooks = {});

}  // namespace maskbench
