#pragma once

#include <memory>
#include <span>

#include "harness/exchange/message.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/level_histograms.hpp"
#include "kernels/backend.hpp"

// The modes fused and collapsed simulate the exchange of a block: B, <g> and <h> are counted but
// never exist. What crosses instead is sealed: PP's noise as a recipe that only AP's answer is
// added to, and the answer as something that yields the sums PP would have got and nothing else.
namespace maskbench {

// What AP adds. All of it must outlive the sums.
struct JointValues {
  std::span<const GradientPair> gradients;  // of all rows, on the grids of the level's nodes ...
  bool grid_changed;                        // ... which are not those of the level above
  std::span<const int> lift;                // ... in steps of 2^lift
  kernels::Weights weights;
  double factor;  // by which a deviating AP multiplies the noise
};

// What PP lets the simulation use: its features, its noise.
class JointExchange {
 public:
  JointExchange(const PartyData& pp, const Compute& compute, kernels::Backend& backend, Mode mode);

  // In place of B for the level's candidates, with which PP's backend has begun. `bytes`: of B.
  std::unique_ptr<Payload> noise(const Level& level, size_t bytes);

 private:
  friend class JointNoise;
  friend class JointAnswer;
  kernels::Histograms& histograms_of(const Level& level, const JointValues& ap);

  kernels::Backend& backend_;
  Mode mode_;
  LevelHistograms histograms_;  // of PP's features with AP's gradients
  int tree_ = -1, depth_ = -1;  // of the histograms
};

// AP: the answer in place of <g>, to be sent in the message that would carry it. `bytes`: of <g>.
std::unique_ptr<Payload> joint_answer(std::unique_ptr<Payload> noise, const JointValues& values,
                                      size_t bytes);

// PP: opens the answer; its backend has the sums then.
void take_joint_sums(Payload& answer);

}  // namespace maskbench
