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
    GatheredRows rows;
    CandidatePlan plan;
    FixedPoint grid;         // of the totals
    std::vector<int> shift;  // of each node: its messages' step is 2^shift of the totals'
    std::vector<GradientSum> totals;
    std::vector<BestSplit> best;
    std::vector<size_t> best_index;  // in the plan
    std::vector<RootSums> root_sums;
  };
  // Candidates [first, end) of the plan.
  struct Block {
    size_t first, end;
    std::vector<size_t> first_cell;
    kernels::Batch batch;
    std::vector<kernels::NoiseScale> scale;
    kernels::Draw draw;
  };

  Search begin(const Level& level);
  void agree(const Search& search);  // on the noise of a level
  Block next_block(const Search& search, size_t first) const;
  std::vector<kernels::NoiseScale> scales_of(const Search& search, const Block& block) const;
  void send_noise(const Search& search, const Block& block);
  BlockSums receive_sums(const Block& block);
  template <class Cell>
  BlockSums sum_cells(const Block& block, Payload& g, Payload* h);
  void score(Search& search, const Block& block, const BlockSums& sums);
  GradientSum left_sum(const kernels::ActiveSet& candidate, GradientSum active,
                       GradientSum total) const;
  void swap_splits(Search& search) const;
  void write_notes(const Search& search);
  Price noise_price(const Search& search, const Block& block) const;

  privacy::MaskedCalibration calibration_;
  privacy::MaskedGrid grid_;
  LevelBudget budget_;
  std::unique_ptr<kernels::Backend> backend_;
  std::optional<JointExchange> joint_;  // in the simulated modes
  ScoreParams params_;
  bool gradient_only_;
  kernels::BlockLimits limits_;
  RandomKey noise_key_, split_key_;
  CandidateCounter counter_;
  std::vector<std::byte> scratch_;
};

}  // namespace maskbench
