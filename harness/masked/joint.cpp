#include "harness/masked/joint.hpp"

#include <cmath>

#include "harness/masked/rounded_gradients.hpp"

namespace maskbench {

namespace {

// Exact n_A, m'g and m'h of the plan's candidates, m the active side.
struct ActiveSums {
  std::vector<uint32_t> active;
  std::vector<int64_t> g, h;
  kernels::ExactSums view() const { return {active, g, h}; }
};

ActiveSums active_sums(const PartyData& pp, const LevelHistograms& histograms,
                       std::span<const int> shifts, const CandidatePlan& plan) {
  ActiveSums out;
  size_t next = 0;
  for (size_t place = 0; place < shifts.size(); ++place) {
    const int64_t unit = int64_t{1} << lift_of(shifts[place]);
    GradientSum total;
    for (uint32_t b = 0; b < pp.offsets[1]; ++b) total += histograms[place][b];
    visit_left_sums(pp, histograms[place], [&](uint32_t id, GradientSum left) {
      if (!plan.is_at(next, place, id)) return;
      const GradientSum active = plan.candidates[next].test.flip ? total - left : left;
      out.active.push_back(plan.headers[next].active);
      out.g.push_back(active.g * unit);
      out.h.push_back(active.h * unit);
      ++next;
    });
  }
  return out;
}

}  // namespace

// PP's recipe of a block. Its content is private: AP can only answer it.
class JointNoise final : public SimulatedPayload {
 public:
  JointNoise(JointExchange& exchange, const Level& level, const CandidatePlan& plan,
             const kernels::Batch& batch, const kernels::Draw& draw)
      : SimulatedPayload(batch.cells() * static_cast<size_t>(draw.columns) * sizeof(int32_t)),
        exchange_(exchange),
        level_(level),
        plan_(plan),
        batch_(batch),
        draw_(draw) {}

 private:
  friend class JointAnswer;
  JointExchange& exchange_;
  const Level& level_;
  const CandidatePlan& plan_;
  kernels::Batch batch_;
  const kernels::Draw& draw_;
};

// AP's part added. Its content is private: PP can only ask for the sums.
class JointAnswer final : public SimulatedPayload {
 public:
  JointAnswer(std::unique_ptr<JointNoise> noise, const JointValues& ap, size_t bytes)
      : SimulatedPayload(bytes), noise_(std::move(noise)), ap_(ap) {}

  BlockSums sums() {
    JointExchange& exchange = noise_->exchange_;
    const kernels::Batch& batch = noise_->batch_;
    const ActiveSums exact = active_sums(exchange.pp_, exchange.histograms_of(noise_->level_, ap_),
                                         ap_.shifts, noise_->plan_);
    BlockSums out{std::vector<int64_t>(batch.candidates.size()),
                  std::vector<int64_t>(batch.candidates.size())};
    const kernels::MaskedSums sums{out.g, out.h};
    if (exchange.mode_ == Mode::collapsed) {
      exchange.backend_.collapsed(batch, noise_->draw_, exact.view(), ap_.weights, sums);
    } else {
      exchange.backend_.fused(batch, noise_->draw_, exact.view(), ap_.weights, sums);
    }
    if (ap_.factor != 1) {
      rescale(exact.g, out.g);
      rescale(exact.h, out.h);
    }
    return out;
  }

 private:
  void rescale(const std::vector<int64_t>& exact, std::vector<int64_t>& sums) const {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = exact[i] + std::llround(ap_.factor * static_cast<double>(sums[i] - exact[i]));
  }

  std::unique_ptr<JointNoise> noise_;
  JointValues ap_;
};

JointExchange::JointExchange(const PartyData& pp, const Compute& compute, kernels::Backend& backend,
                             Mode mode)
    : pp_(pp), backend_(backend), mode_(mode), histograms_(pp, compute) {}

// A level in which PP had nothing to split left no histograms for its children to come from.
const LevelHistograms& JointExchange::histograms_of(const Level& level, const JointValues& ap) {
  const bool follows = level.tree == tree_ && level.depth == depth_ + 1 && !ap.grid_changed;
  histograms_.update(level, ap.gradients, level.depth > 0 && !follows);
  tree_ = level.tree;
  depth_ = level.depth;
  return histograms_;
}

std::unique_ptr<Payload> JointExchange::noise(const Level& level, const CandidatePlan& plan,
                                              const kernels::Batch& batch,
                                              const kernels::Draw& draw) {
  return std::make_unique<JointNoise>(*this, level, plan, batch, draw);
}

std::unique_ptr<Payload> joint_answer(std::unique_ptr<Payload> noise, const JointValues& values,
                                      size_t bytes) {
  std::unique_ptr<JointNoise> sealed(&dynamic_cast<JointNoise&>(*noise.release()));
  return std::make_unique<JointAnswer>(std::move(sealed), values, bytes);
}

BlockSums joint_sums(Payload& answer) {
  return dynamic_cast<JointAnswer&>(answer).sums();
}

}  // namespace maskbench
