#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/core/level_histograms.hpp"
#include "harness/core/metric.hpp"
#include "harness/core/protocol.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/privacy/calibration.hpp"

namespace maskbench {

// The judge's instrument, not a part of the protocol: what PP's sums and scores would be without
// noise. The collapsed mode starts from these sums, and every mode is measured against them.
class MaskedTruth {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  MaskedTruth(const MethodContext& c, const privacy::MaskedCalibration& calibration,
              std::function<const Gradients&()> clean);

  void begin_level(const Level& level, const CandidatePlan& plan);

  // Exact n_A, m'g and m'h of the plan's candidates, m the active side.
  kernels::ExactSums active_sums(size_t first, size_t end) const;

  // The root's best candidate (its place in the plan), whose noisy sums theorem 1 is held against.
  size_t watched() const { return watched_; }
  void observe(double gl, double hl, double gr, double hr);

  // PP has chosen; kNone where it found nothing.
  void end_level(std::span<const size_t> chosen);

  std::vector<Metric> metrics() const;

 private:
  double score(size_t candidate) const;

  const PartyData& pp_;
  ScoreParams params_;
  privacy::MaskedCalibration calibration_;
  std::function<const Gradients&()> clean_;
  LevelHistograms histograms_;

  std::vector<CandidateHeader> headers_;
  std::vector<GradientSum> left_, totals_;
  std::vector<uint32_t> active_;
  std::vector<int64_t> active_g_, active_h_;
  std::vector<size_t> best_;  // of each node
  std::vector<size_t> rows_;
  size_t watched_ = kNone;

  int64_t nodes_ = 0, agree_ = 0;
  double best_gain_ = 0, chosen_gain_ = 0;
  int64_t observed_ = 0, deviated_ = 0;
  double bound_ = 0;
};

}  // namespace maskbench
