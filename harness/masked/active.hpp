#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/exchange/active_side.hpp"
#include "harness/masked/candidate_plan.hpp"
#include "harness/masked/level_budget.hpp"
#include "harness/masked/rounded_gradients.hpp"
#include "harness/privacy/calibration.hpp"
#include "harness/privacy/masked_charges.hpp"
#include "harness/privacy/masked_grid.hpp"
#include "kernels/backend.hpp"

namespace maskbench {

// AP's c_i and d_i for a block of candidates.
struct BlockWeights {
  std::vector<int32_t> c, d;
  kernels::Weights view() const { return {c, d}; }
};

class MaskedActive : public ActiveSide {
 public:
  explicit MaskedActive(const ActiveContext& c);

  void start() override;
  void begin_tree(int tree, const Gradients& clean) override;
  std::vector<Proposal> proposals(const Level& level) override;
  Price choice_price() override { return clean_choice_price(); }
  std::vector<Metric> metrics() const override;
  std::string backend() const override { return backend_->name(); }

 private:
  void send_totals(const Level& level);
  void answer(const Level& level);
  // Signs for W = 1, else points on spheres whose radius follows from the budget and from n_A.
  BlockWeights draw_weights(const Level& level, std::span<const CandidateHeader> headers) const;
  // The answer that exists: <g> and <h> in 32 or 64 bits.
  template <class Cell>
  void send_cells(const Tag& tag, const kernels::BlockLayout& block, std::unique_ptr<Payload> noise,
                  privacy::VectorCharges charges);
  // The answer that only its sums are formed of.
  void send_sealed(const Tag& tag, std::unique_ptr<Payload> noise, size_t cells,
                   privacy::VectorCharges charges);
  void send_masked(const Tag& tag, std::unique_ptr<Payload> g, std::unique_ptr<Payload> h,
                   privacy::VectorCharges charges);
  Price vector_price(std::vector<privacy::Charge> charges);

  privacy::MaskedCalibration calibration_;
  std::optional<privacy::MaskedGrid> grid_;  // from start on
  std::optional<LevelBudget> budget_;
  std::shared_ptr<kernels::Backend> backend_;
  bool gradient_only_;
  RandomKey key_;
  RoundedGradients rounded_;
  bool noted_ = false;  // what AP's messages rest on is in the ledger

  // The level and the block under way. In the simulated modes PP's sums are formed from them while
  // AP waits.
  bool grid_changed_ = false;
  bool rebind_ = false;    // the backend has not seen the gradients as they are now
  std::vector<int> lift_;  // of each node
  BlockWeights block_;
};

}  // namespace maskbench
