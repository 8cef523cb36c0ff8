#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/exchange/active_side.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "kernels/backend.hpp"

namespace maskbench {

// The grid both parties agree on: sigma2 of the noise is this many steps of B. It leaves room for
// the noise of a PP that draws more than agreed.
double noise_steps(double R, const DeviationSpec& deviation);

// The largest shift with n (2^shift + sum |c|) 2^23 < 2^62, see kernels::check_bounds, and |c| in
// 32 bits; c keeps as many bits where overflow allows. Throws KernelError if c fits at no shift.
int choose_shift(double largest_radius, double rows, int W);

// AP's c_i and d_i for a block of candidates, on the grid of the masked values:
// <g> = g 2^shift + sum_k c_k b_k, in units of 2^(grid - shift).
struct BlockWeights {
  std::vector<int32_t> c, d;
  int shift = 0;
  kernels::Weights view() const { return {c, d, shift}; }
};

class MaskedActive : public ActiveSide {
 public:
  explicit MaskedActive(const ActiveContext& c);

  void start() override;
  std::vector<Proposal> proposals(const Level& level) override;
  Price choice_price() override { return clean_choice_price(); }
  std::vector<Metric> metrics() const override;
  std::string backend() const override { return backend_->name(); }

 private:
  void send_totals(const Level& level);
  void answer(const Level& level);
  // Draws on spheres of radius sqrt(C), C from the budget and the candidate's n_A and n_I.
  BlockWeights draw_weights(const kernels::LevelRows& level,
                            std::span<const CandidateHeader> headers) const;
  // g and h in the order of the rows of the level under way.
  kernels::RowValues values(const kernels::LevelRows& level);
  void send_masked(const Tag& tag, std::unique_ptr<Payload> g, std::unique_ptr<Payload> h,
                   privacy::VectorCharges charges);
  Price vector_price(std::vector<privacy::Charge> charges);

  privacy::MaskedCalibration calibration_;
  std::unique_ptr<kernels::Backend> backend_;
  bool gradient_only_;
  PhiloxKey key_;
  bool noted_ = false;  // what AP's messages rest on is in the ledger

  // The level and the block under way. In the simulated modes PP's sums are formed from them while
  // AP waits.
  std::unique_ptr<GatheredRows> rows_;
  std::vector<int32_t> g_, h_;
  BlockWeights block_;
};

}  // namespace maskbench
