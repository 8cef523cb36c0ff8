#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "harness/base/metric.hpp"
#include "harness/base/party_key.hpp"
#include "harness/base/spec.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/exchange/elements.hpp"
#include "harness/exchange/notebook.hpp"
#include "harness/exchange/tree_rows.hpp"
#include "harness/trees/compute.hpp"
#include "harness/trees/split_search.hpp"

namespace maskbench {

// What a party's program is made from: its own data, its own key, its end of the channel, and what
// is public. Nothing here leads to the other party.
struct SideContext {
  const RunSpec& spec;    // public
  const PartyData& data;  // the training rows
  ThreadPool& pool;
  PartyKey key;  // of this party's randomness
  Channel& channel;
  Notebook& notes;
  Compute compute;  // the party's own
  ScoreParams score_params() const {
    return {spec.train.lambda, spec.train.gamma, spec.train.min_child_weight};
  }
};

// What PP does while the trees grow.
enum class PassivePart {
  asked,     // every level: its best splits, and the rows of those that win
  borrowed,  // AP trains on a copy of PP's data and tells PP which of PP's splits it took
  idle,
};

// Seconds of one tree as one party sees them.
struct TreeSeconds {
  double computing = 0;
  double delay = 0;  // it could have gone on, but the channel kept it
};

// Splits a party's time into trees.
class TreeClock {
 public:
  explicit TreeClock(const Channel& channel) : channel_(channel) {}
  void begin_tree() { last_ = read(); }
  void end_tree();
  std::vector<TreeSeconds> take() { return std::move(trees_); }

 private:
  struct Reading {
    std::chrono::steady_clock::time_point now;
    double blocked = 0, delay = 0;
  };
  Reading read() const;

  const Channel& channel_;
  Reading last_;
  std::vector<TreeSeconds> trees_;
};

}  // namespace maskbench
