#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/exchange/past.hpp"
#include "harness/exchange/side.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/tree.hpp"

namespace maskbench {

struct ActiveContext : SideContext {
  std::span<const float> labels;  // of the training rows
};

// What a method's AP does differently. Each function computes, sends, and blocks until what it
// waits for has come; run_active calls them in the order in which they stand here.
class ActiveSide {
 public:
  explicit ActiveSide(const ActiveContext& context) : ActiveSide(context, context.score_params()) {}
  ActiveSide(const ActiveContext& context, const ScoreParams& params)
      : ActiveSide(context, params, context.compute) {}
  // compute: for a method without a device path, the threads alone.
  ActiveSide(const ActiveContext& context, const ScoreParams& params, const Compute& compute);
  virtual ~ActiveSide() = default;

  // Before the first tree.
  virtual void start() {}
  virtual void begin_tree(int /*tree*/, const Gradients& clean) { clean_ = &clean; }
  // Begins to search AP's own best split of each node; by the clean gradients unless a protocol
  // says otherwise. What was found is asked for when PP has answered: a device works meanwhile.
  virtual LevelHistograms& search_own(const Level& level);
  // The whole exchange about a level up to PP's best split of each node.
  virtual std::vector<Proposal> proposals(const Level& level);
  // The score of a split by AP's own gradients; bits: which of the node's rows go left.
  double clear_score(std::span<const uint32_t> rows, const uint64_t* bits) const;
  // What AP's decisions and the rows of AP's splits tell PP.
  virtual Price choice_price() = 0;
  // The gradients leaf weights are computed from.
  virtual const Gradients& leaf_gradients() const { return *clean_; }
  virtual void end_tree(std::span<const LeafRows>) {}
  // In place of all that for a tree of an earlier training that was cut short: what a side carries
  // from tree to tree must be as if it had been there.
  virtual void replay_tree(int /*tree*/, std::span<const LeafRows>) {}

  // An AP that does not ask gets no proposals and sends no row sets.
  virtual PassivePart passive_part() const { return PassivePart::asked; }
  // The features AP searches itself. Those past its own are copies of PP's (borrowed).
  virtual const PartyData& searched() const { return data_; }
  // A costly method may grow fewer trees than asked for; its rows say so.
  virtual int trees() const { return spec_.train.rounds; }
  // What computed the method's kernels.
  virtual std::string backend() const { return compute_.name(); }
  // Numbers of the method's own for the results.
  virtual std::vector<Metric> metrics() const { return {}; }

 protected:
  const RunSpec& spec_;
  const PartyData& data_;
  ScoreParams params_;
  Compute compute_;
  ThreadPool& pool_;
  Channel& channel_;
  Notebook& notes_;
  const Gradients* clean_ = nullptr;

 private:
  std::unique_ptr<SplitSearch> search_;
};

// AP's part of a model and of a run.
struct ActiveResult {
  float base_margin = 0;
  std::vector<Tree> trees;
  std::vector<SplitRule> rules;
  std::vector<float> margins;  // of the training rows at the end
  std::vector<TreeSeconds> seconds;
  bool stopped = false;
  std::string backend;
  std::vector<Metric> metrics;
};

struct TrainHooks {
  std::function<void(int round)> on_tree;  // after each tree
  std::function<bool()> stop;              // asked before each tree; true ends the training early
  const Continuation* continuation = nullptr;
};

// The margins before the first tree: `prior` = log odds of the labels (their mean for regression),
// `0.5` = 0, `random` = uniform in [-1, 1] for each row, from the seed.
std::vector<float> initial_margins(const TrainSpec& train, std::span<const float> labels,
                                   uint64_t seed);

// AP's program: boosts the spec's trees level by level. `seed`: of random initial margins.
ActiveResult run_active(ActiveSide& side, const ActiveContext& context, uint64_t seed,
                        const TrainHooks& hooks = {});

// What AP's choice tells where it is made on clean gradients, for methods that claim nothing of it.
Price clean_choice_price();

}  // namespace maskbench
