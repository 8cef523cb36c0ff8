#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "harness/exchange/passive_side.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/masked/joint.hpp"
#include "harness/masked/level_budget.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/masked_grid.hpp"

namespace maskbench {

// What PP writes down for whoever judges: the noisy sums of one of the root's candidates.
struct RootSums {
  double left_g = 0, left_h = 0, right_g = 0, right_h = 0;
};
inline constexpr int64_t kNoChoice = -1;

class MaskedPassive : public PassiveSide {
 public:
  explicit MaskedPassive(const PassiveContext& c);

  void start() override;
  void offer(const Level& level) override;

 private:
  // A level under way.
  struct Search {
    const Level& level;
    CandidatePlan plan;
    std::vector<kernels::NoiseScale> scale;  // of each candidate
    FixedPoint grid;                         // of the totals
    std::vector<int> shift;           // of each node: its messages' step is 2^shift of the totals'
    std::vector<GradientSum> totals;  // then on the finest grid
    std::vector<int> lift;            // of each node: its messages' step is 2^lift of that
    kernels::NoisyScores scores;
    std::vector<BestSplit> best;
    std::vector<size_t> best_index;  // in the plan
    std::vector<RootSums> root_sums;
  };
  Search begin(const Level& level);
  void agree(const Search& search);  // on the noise of a level
  kernels::Block next_block(const Search& search, size_t first) const;
  size_t cells(const Search& search, const kernels::Block& block) const {
    return search.plan.first_cell[block.end] - search.plan.first_cell[block.first];
  }
  std::vector<kernels::NoiseScale> scales_of(const Search& search) const;
  void send_noise(const Search& search, const kernels::Block& block);
  void receive_sums(const Search& search, const kernels::Block& block);
  template <class Cell>
  void sum_cells(const Search& search, const kernels::Block& block, Payload& g, Payload* h);
  void begin_candidates(Search& search);
  void score(Search& search);
  void note_root(Search& search, const kernels::MaskedSums& sums);
  void swap_splits(Search& search) const;
  void write_notes(const Search& search);
  Price noise_price(const Search& search, const kernels::Block& block) const;

  privacy::MaskedCalibration calibration_;
  privacy::MaskedGrid grid_;
  LevelBudget budget_;
  std::shared_ptr<kernels::Backend> backend_;
  std::optional<JointExchange> joint_;  // in the simulated modes
  ScoreParams params_;
  bool gradient_only_;
  kernels::BlockLimits limits_;
  RandomKey noise_key_, split_key_;
  CandidateCounter counter_;
};

}  // namespace maskbench
