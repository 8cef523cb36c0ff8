#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/gradients.hpp"
#include "harness/core/metric.hpp"
#include "harness/core/party.hpp"
#include "harness/core/spec.hpp"
#include "harness/core/split_search.hpp"
#include "harness/core/wire.hpp"
#include "harness/privacy/accountant.hpp"

namespace maskbench {

// PP's best split of a node, as AP sees it: how good it is. Which split it is stays with PP.
struct Proposal {
  double score = kNoSplit;
  int64_t id = -1;  // opaque to AP
};

// What AP tells PP of a node.
struct Decision {
  enum class Verdict : int64_t {
    leaf,
    ap,        // AP's split; AP sends the rows that go left
    pp,        // PP's split `id`; PP sends the rows that go left
    borrowed,  // a split on PP's feature that AP chose on its copy of PP's data; AP knows the rows
  };
  int64_t id = -1;
  Verdict verdict = Verdict::leaf;
};

// A leaf of the tree just grown. Both parties know its rows.
struct LeafRows {
  int node = 0;
  std::span<const uint32_t> rows;
};

// A protocol is two sides that meet only at the wire. The boosting loop gives each its turns: start
// once; for each tree begin_tree (AP, then PP); for each level AP and PP take turns until PP says
// that it is through; then AP decides and the owner of each split tells the rows that go left.
class ActiveSide {
 public:
  ActiveSide(const PartyData& data, const ScoreParams& params, const Compute& compute);
  virtual ~ActiveSide() = default;

  virtual void start(Wire&) {}
  virtual void begin_tree(int tree, const Gradients& clean, Wire& wire);
  virtual void turn(const Level&, Wire&) {}
  virtual void end_tree(std::span<const LeafRows>) {}
  // PP's best split of each node; by default PP says it itself.
  virtual std::vector<Proposal> proposals(const Level& level, Wire& wire);

  // A solo AP never asks PP during training: no turns, no proposals, no row sets.
  virtual bool is_solo() const { return false; }
  // The features AP searches itself. Those past its own are copies of PP's (borrowed).
  virtual const PartyData& searched() const { return data_; }
  // AP's own best split of each node; from the clean gradients unless a protocol says otherwise.
  virtual std::vector<BestSplit> own_splits(const Level& level);
  // The gradients leaf weights are computed from.
  virtual const Gradients& leaf_gradients() const { return *clean_; }
  // A costly method may grow fewer trees than asked for; its rows say so.
  virtual int max_trees() const { return std::numeric_limits<int>::max(); }
  // What computed the method's kernels.
  virtual std::string backend() const { return compute_.name(); }
  // Numbers of the method's own for the results.
  virtual std::vector<Metric> metrics() const { return {}; }

  bool is_borrowed(const Candidate& c) const { return c.feature >= data_.cuts.size(); }
  // The same split as PP numbers its features.
  Candidate as_pp(Candidate c) const;
  int keep_rule(const Candidate& candidate);  // returns its number
  const std::vector<SplitRule>& rules() const { return rules_; }

 protected:
  const PartyData& data_;
  ScoreParams params_;
  Compute compute_;
  ThreadPool& pool_;
  const Gradients* clean_ = nullptr;

 private:
  std::unique_ptr<SplitSearch> search_;
  std::vector<SplitRule> rules_;
};

class PassiveSide {
 public:
  PassiveSide(const PartyData& data, ThreadPool& pool) : data_(data), pool_(pool) {}
  virtual ~PassiveSide() = default;

  virtual void start(Wire&) {}
  virtual void begin_tree(int /*tree*/, Wire&) {}
  // Takes one turn; true once PP has sent all that AP needs for this level's proposals.
  virtual bool turn(const Level& level, Wire& wire) = 0;
  virtual void end_tree(std::span<const LeafRows>) {}
  virtual std::vector<Metric> metrics() const { return {}; }

  // Reads AP's decisions; sends the rows that go left of every split that is PP's.
  void take_decisions(const Level& level, Wire& wire);
  const std::vector<SplitRule>& rules() const { return rules_; }

 protected:
  // Sends the best splits' scores and remembers the splits.
  void propose(const Level& level, std::vector<BestSplit> best, Wire& wire);
  // The split that PP meant by `id` when it spoke of the level's node at `place`.
  virtual Candidate candidate(size_t place, int64_t id) const;

  const PartyData& data_;
  ThreadPool& pool_;

 private:
  std::vector<BestSplit> proposed_;
  std::vector<SplitRule> rules_;
};

// A borrowed split in the id of a decision.
int64_t encode(const Candidate& candidate);
Candidate decode(int64_t id);

struct Method {
  std::unique_ptr<ActiveSide> ap;
  std::unique_ptr<PassiveSide> pp;
};

// What a method is made from. A factory gives each side its own party's part only.
struct MethodContext {
  const RunSpec& spec;
  const PartyData& ap;
  std::span<const float> ap_labels;  // of the training rows
  const PartyData& pp;
  ThreadPool& pool;
  uint64_t noise_key = 0;  // of the protocol's randomness
  privacy::PrivacyAccountant&
      accountant;  // charged for every message that speaks of a party's data
  int device = 0;  // of the backend cuda

  // Threads and the backend that the spec asks for.
  Compute compute() const { return Compute::choose(spec.backend, pool, device); }
  ScoreParams score_params() const {
    return {spec.train.lambda, spec.train.gamma, spec.train.min_child_weight};
  }
};

using MethodFactory = Method (*)(const MethodContext&);

}  // namespace maskbench
