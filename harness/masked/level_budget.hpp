#pragma once

#include <span>
#include <vector>

#include "harness/base/party_id.hpp"
#include "harness/exchange/channel.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/privacy/filter.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

// Where the reading gives one budget to all messages of a training, each party hands its own to the
// levels as they come (privacy/filter.hpp) and tells the other what it needs of it: PP how many
// candidates the largest node has, and R; AP then the q of its messages. Other readings agree on
// all of it at the start, and no word is said.
class LevelBudget {
 public:
  LevelBudget(const RunSpec& spec, size_t rows, size_t candidates, Party party);

  bool is_on() const { return is_on_; }

  // PP, before it sends noise, and AP, before it sends totals: the level's calibration. `so_far`:
  // of the level before, or of the start.
  privacy::MaskedCalibration agree_as_pp(Channel& channel, const Level& level,
                                         std::span<const CandidateHeader> headers,
                                         const privacy::MaskedCalibration& so_far);
  privacy::MaskedCalibration agree_as_ap(Channel& channel, const Level& level,
                                         const privacy::MaskedCalibration& so_far);

  // AP's: throws if PP speaks of more candidates of a node than it had said.
  void count(std::span<const CandidateHeader> headers);

 private:
  // The level's scale; `so_far`: of the level before.
  double scale(const Channel& channel, const Level& level,
               std::span<const privacy::NodeContent> nodes, double so_far);

  const RunSpec& spec_;
  bool is_on_;
  privacy::FilterPlan plan_;
  std::vector<uint32_t> counts_;  // of the level's nodes, as the candidates come
  uint32_t told_ = 0;
  bool is_under_way_ = false;  // a level was agreed on: a training may go on where another ended
};

}  // namespace maskbench
