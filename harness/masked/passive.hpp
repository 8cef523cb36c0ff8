#pragma once

#include <memory>
#include <vector>

#include "harness/core/protocol.hpp"
#include "harness/masked/active.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/masked/joint.hpp"
#include "harness/masked/truth.hpp"

namespace maskbench {

class MaskedPassive : public PassiveSide {
 public:
  // joint: how the exchange runs in the modes fused and collapsed; null: materialised.
  MaskedPassive(const MethodContext& c, const privacy::MaskedCalibration& calibration,
                std::shared_ptr<kernels::Backend> backend, std::unique_ptr<JointExchange> joint,
                std::unique_ptr<MaskedTruth> truth);

  bool turn(const Level& level, Wire& wire) override;
  std::vector<Metric> metrics() const override { return truth_->metrics(); }

 private:
  void begin_level(const Level& level, Wire& wire);
  kernels::Batch block();  // the next candidates that fit
  void send_noise(const Level& level, Wire& wire);
  void read_answer(Wire& wire);
  void run_jointly(const Level& level, Wire& wire);
  void swap_splits(const Level& level);
  bool end_level(const Level& level, Wire& wire);
  GradientSum left_sum(size_t candidate, GradientSum active, GradientSum total) const;
  void score(std::span<const int64_t> g, std::span<const int64_t> h, int shift);
  void observe(GradientSum left, GradientSum total, double step);

  privacy::MaskedCalibration calibration_;
  std::shared_ptr<kernels::Backend> backend_;
  std::unique_ptr<JointExchange> joint_;
  std::unique_ptr<MaskedTruth> truth_;
  ScoreParams params_;
  bool gradient_only_, clip_hessian_;
  kernels::BlockLimits limits_;
  kernels::Draw draw_;
  bool random_split_;  // deviation.pp_split
  PhiloxKey split_key_;
  CandidateCounter counter_;

  // The level under way; candidates [first_, end_) of the plan are the block under way.
  int tree_ = -1, depth_ = -1;
  std::unique_ptr<LevelRows> rows_;
  CandidatePlan plan_;
  FixedPoint grid_;
  std::vector<GradientSum> totals_;
  std::vector<BestSplit> best_;
  std::vector<size_t> best_index_;
  size_t first_ = 0, end_ = 0;
  std::vector<size_t> first_cell_;
  std::vector<std::byte> scratch_;
};

}  // namespace maskbench
