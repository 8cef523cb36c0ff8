#pragma once

#include <optional>
#include <vector>

#include "harness/exchange/past.hpp"
#include "harness/exchange/side.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

using PassiveContext = SideContext;

// What a method's PP does differently. Each function computes, sends, and blocks until what it
// waits for has come; run_passive calls them in the order in which they stand here.
class PassiveSide {
 public:
  explicit PassiveSide(const PassiveContext& context);
  virtual ~PassiveSide() = default;

  // Before the first tree.
  virtual void start() {}
  virtual void begin_tree(int /*tree*/) {}
  // The whole exchange about a level up to PP's best splits.
  virtual void offer(const Level&) {}
  // The split that PP meant by `id` when it spoke of the level's node at `place`.
  virtual Candidate candidate(size_t place, int64_t id) const;
  // Has PP proposed a split of this node?
  bool offers(size_t place) const;
  // What the rows of PP's winning splits tell AP.
  virtual Price row_set_price();
  virtual void end_tree(std::span<const LeafRows>) {}
  // As ActiveSide's. The leaves are given if the side follows them.
  virtual void replay_tree(int /*tree*/, std::span<const LeafRows>) {}

  virtual PassivePart part() const { return PassivePart::asked; }
  // Does end_tree want the leaves' rows?
  virtual bool follows_leaves() const { return false; }
  virtual int trees() const { return spec_.train.rounds; }
  // The features that AP has copies of, if it borrows.
  virtual const PartyData& lent() const { return data_; }
  // A model of PP's own, for PP to answer by when the joint one is used.
  virtual std::optional<PassiveScore> score() { return std::nullopt; }
  virtual std::vector<Metric> metrics() const { return {}; }

 protected:
  // Sends the best splits' scores and remembers the splits.
  void propose(const Level& level, std::vector<BestSplit> best, const Price& price);

  const RunSpec& spec_;
  const PartyData& data_;
  ThreadPool& pool_;
  Channel& channel_;
  Notebook& notes_;

 private:
  std::vector<BestSplit> proposed_;
};

// PP's part of a model and of a run.
struct PassiveResult {
  std::vector<SplitRule> rules;
  std::optional<PassiveScore> score;
  std::vector<TreeSeconds> seconds;
  std::vector<Metric> metrics;
};

// PP's program.
PassiveResult run_passive(PassiveSide& side, const PassiveContext& context,
                          const Continuation* continuation = nullptr);

// What the score of PP's best split tells AP, for methods that claim nothing of it.
Price score_price();

}  // namespace maskbench
