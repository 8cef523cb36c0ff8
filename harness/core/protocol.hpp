#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/gradients.hpp"
#include "harness/core/party.hpp"
#include "harness/core/spec.hpp"
#include "harness/core/split_search.hpp"
#include "harness/core/wire.hpp"

namespace maskbench {

namespace privacy {
class PrivacyAccountant;
}

// What PP says of a node: how good its best split is. Which split it is stays with PP.
struct Proposal {
  double score = kNoSplit;
  int64_t id = -1;  // opaque to AP
};

enum class Verdict : uint8_t { leaf, ap, pp };

// A protocol is two sides that meet only at the wire. The boosting loop gives each its turns:
//   start once; for each tree begin_tree (AP, then PP); for each level AP and PP take turns until
//   PP has sent its proposals; then AP decides and the owner of each split tells the rows that go
//   left.
class ActiveSide {
 public:
  ActiveSide(const PartyData& data, const ScoreParams& params, ThreadPool& pool);
  virtual ~ActiveSide() = default;

  virtual void start(Wire&) {}
  virtual void begin_tree(int /*tree*/, const Gradients& clean, Wire&) { clean_ = &clean; }
  virtual void turn(const Level&, Wire&) {}

  // AP's own best split of each node; in clear unless a protocol says otherwise.
  virtual std::vector<BestSplit> own_splits(const Level& level);
  // The gradients leaf weights are computed from.
  virtual const Gradients& leaf_gradients() const { return *clean_; }

  // Sends which of the node's rows go left under AP's split and keeps the rule; returns its number.
  int own_split(const LevelNode& node, const Candidate& candidate, std::span<uint64_t> bits);
  const std::vector<SplitRule>& rules() const { return rules_; }

 protected:
  const PartyData& data_;
  ScoreParams params_;
  ThreadPool& pool_;
  SplitSearch search_;
  const Gradients* clean_ = nullptr;
  std::vector<SplitRule> rules_;
};

class PassiveSide {
 public:
  explicit PassiveSide(const PartyData& data, ThreadPool& pool) : data_(data), pool_(pool) {}
  virtual ~PassiveSide() = default;

  virtual void start(Wire&) {}
  virtual void begin_tree(int /*tree*/, Wire&) {}
  // Takes one turn; true once the level's proposals are on the wire.
  virtual bool turn(const Level& level, Wire& wire) = 0;

  // Reads AP's decisions; sends the rows that go left of every split that is PP's.
  void take_decisions(const Level& level, Wire& wire);
  const std::vector<SplitRule>& rules() const { return rules_; }

 protected:
  // Sends the best splits' scores and remembers the splits.
  void propose(const Level& level, std::vector<BestSplit> best, Wire& wire);

  const PartyData& data_;
  ThreadPool& pool_;
  std::vector<BestSplit> proposed_;
  std::vector<SplitRule> rules_;
};

struct Method {
  std::unique_ptr<ActiveSide> ap;
  std::unique_ptr<PassiveSide> pp;
};

// What a method is made from. Each side gets its own party's part only.
struct MethodContext {
  const RunSpec& spec;
  const PartyData& ap;
  std::span<const float> ap_labels;  // of the training rows
  const PartyData& pp;
  ThreadPool& pool;
  privacy::PrivacyAccountant* accountant = nullptr;

  ScoreParams score_params() const {
    return {spec.train.lambda, spec.train.gamma, spec.train.min_child_weight};
  }
};

using MethodFactory = Method (*)(const MethodContext&);

}  // namespace maskbench
