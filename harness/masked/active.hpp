#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/core/protocol.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/privacy/calibration.hpp"
#include "kernels/backend.hpp"

namespace maskbench {

// The grid both parties agree on: sigma2 of the noise is this many steps of B. It leaves room for
// the noise of a PP that draws more than agreed.
double noise_steps(double R, const DeviationSpec& deviation);

// AP's c_i and d_i for a block of candidates, on the grid of the masked values:
// <g> = g 2^shift + sum_k c_k b_k, in units of 2^(grid - shift).
struct BlockWeights {
  std::vector<int32_t> c, d;
  int shift = 0;
  kernels::Weights view() const { return {c, d, shift}; }
};

class MaskedActive : public ActiveSide {
 public:
  MaskedActive(const MethodContext& c, const privacy::MaskedCalibration& calibration,
               std::shared_ptr<kernels::Backend> backend);

  void turn(const Level& level, Wire& wire) override;
  std::vector<Metric> metrics() const override;
  std::string backend() const override { return backend_->name(); }

  // Draws on spheres of radius sqrt(C), C from the budget and the candidate's n_A and n_I, and
  // charges the accountant for the answer.
  BlockWeights weights(const kernels::Level& level, int depth,
                       std::span<const CandidateHeader> headers);
  // g and h in the order of the rows of the level under way.
  kernels::Values values(const kernels::Level& level);
  bool gradient_only() const { return gradient_only_; }
  const Gradients& clean() const { return *clean_; }

 private:
  void send_totals(const Level& level, Wire& wire);
  void answer(const Level& level, Wire& wire);

  privacy::MaskedCalibration calibration_;
  std::shared_ptr<kernels::Backend> backend_;
  privacy::PrivacyAccountant& accountant_;
  PrivacySpec budget_;
  DeviationSpec deviation_;
  bool gradient_only_;
  PhiloxKey key_;
  int tree_ = -1, depth_ = -1;
  std::unique_ptr<LevelRows> rows_;
  std::vector<int32_t> g_, h_;
};

}  // namespace maskbench
