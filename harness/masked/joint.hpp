#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "harness/exchange/message.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/trees/gradients.hpp"
#include "harness/trees/level_histograms.hpp"
#include "kernels/backend.hpp"

// The modes fused and collapsed simulate the exchange of a block: B, <g> and <h> are counted but
// never exist. What crosses instead is sealed: PP's noise as a recipe that only AP's answer is
// added to, and the answer as something that yields the sums PP would have got and nothing else.
namespace maskbench {

// The sums m'<g>, m'<h> of a block's candidates.
struct BlockSums {
  std::vector<int64_t> g, h;
};

// What PP lets the simulation use: its features, its noise.
class JointExchange {
 public:
  JointExchange(const PartyData& pp, const Compute& compute, kernels::Backend& backend,
                const kernels::Draw& draw, Mode mode);

  // In place of B for the candidates of the batch.
  std::unique_ptr<Payload> noise(const Level& level, const CandidatePlan& plan,
                                 const kernels::Batch& batch);

 private:
  friend class JointNoise;
  friend class JointAnswer;
  const LevelHistograms& histograms_of(const Level& level, const Gradients& clean);

  const PartyData& pp_;
  kernels::Backend& backend_;
  kernels::Draw draw_;
  Mode mode_;
  std::optional<LevelHistograms> histograms_;  // collapsed: of PP's features with AP's gradients
  int tree_ = -1, depth_ = -1;                 // of the histograms
  std::vector<std::byte> scratch_;
};

// What AP adds to it. All of it must outlive the sums.
struct JointValues {
  kernels::RowValues values;  // fused
  const Gradients* clean;     // collapsed
  kernels::Weights weights;
};

// AP: the answer in place of <g>, to be sent in the message that would carry it. `cells`: entries
// of <g>.
std::unique_ptr<Payload> joint_answer(std::unique_ptr<Payload> noise, const JointValues& values,
                                      size_t cells);

// PP: opens the answer.
BlockSums joint_sums(Payload& answer);

}  // namespace maskbench
