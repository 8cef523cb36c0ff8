#include "harness/masked/joint.hpp"

namespace maskbench {

namespace {

// Exact n_A, m'g and m'h of the plan's candidates, m the active side: what collapsed starts from.
struct ActiveSums {
  std::vector<uint32_t> active;
  std::vector<int64_t> g, h;
  kernels::ExactSums view() const { return {active, g, h}; }
};

ActiveSums active_sums(const PartyData& pp, const LevelHistograms& histograms, size_t nodes,
                       const CandidatePlan& plan) {
  ActiveSums out;
  size_t next = 0;
  for (size_t place = 0; place < nodes; ++place) {
    GradientSum total;
    for (uint32_t b = 0; b < pp.offsets[1]; ++b) total += histograms[place][b];
    visit_left_sums(pp, histograms[place], [&](uint32_t id, GradientSum left) {
      if (!plan.is_at(next, place, id)) return;
      const GradientSum active = plan.candidates[next].test.flip ? total - left : left;
      out.active.push_back(plan.headers[next].active);
      out.g.push_back(active.g);
      out.h.push_back(active.h);
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
             const kernels::Batch& batch)
      : SimulatedPayload(batch.cells() * static_cast<size_t>(exchange.draw_.columns) *
                         sizeof(int32_t)),
        exchange_(exchange),
        level_(level),
        plan_(plan),
        batch_(batch) {}

 private:
  friend class JointAnswer;
  JointExchange& exchange_;
  const Level& level_;
  const CandidatePlan& plan_;
  kernels::Batch batch_;
};

// AP's part added. Its content is private: PP can only ask for the sums.
class JointAnswer final : public SimulatedPayload {
 public:
  JointAnswer(std::unique_ptr<JointNoise> noise, const JointValues& ap, size_t cells)
      : SimulatedPayload(cells * sizeof(int64_t)), noise_(std::move(noise)), ap_(ap) {}

  BlockSums sums() {
    JointExchange& exchange = noise_->exchange_;
    const kernels::Batch& batch = noise_->batch_;
    kernels::check_bounds(batch, ap_.weights, exchange.draw_.columns);
    BlockSums out{std::vector<int64_t>(batch.candidates.size()),
                  std::vector<int64_t>(batch.candidates.size())};
    const kernels::MaskedSums sums{out.g, out.h};
    if (exchange.mode_ == Mode::collapsed) {
      const Level& level = noise_->level_;
      const ActiveSums exact = active_sums(exchange.pp_, exchange.histograms_of(level, *ap_.clean),
                                           level.nodes.size(), noise_->plan_);
      exchange.backend_.collapsed(batch, exchange.draw_, exact.view(), ap_.weights, sums);
    } else {
      exchange.scratch_.resize(exchange.backend_.scratch_bytes(batch.level));
      exchange.backend_.fused(batch, exchange.draw_, ap_.values, ap_.weights, sums,
                              exchange.scratch_);
    }
    return out;
  }

 private:
  std::unique_ptr<JointNoise> noise_;
  JointValues ap_;
};

JointExchange::JointExchange(const PartyData& pp, const Compute& compute, kernels::Backend& backend,
                             const kernels::Draw& draw, Mode mode)
    : pp_(pp), backend_(backend), draw_(draw), mode_(mode) {
  if (mode == Mode::collapsed) histograms_.emplace(pp, compute);
}

// A level in which PP had nothing to split left no histograms for its children to come from.
const LevelHistograms& JointExchange::histograms_of(const Level& level, const Gradients& clean) {
  const bool follows = level.tree == tree_ && level.depth == depth_ + 1;
  histograms_->update(level, clean.rows, level.depth > 0 && !follows);
  tree_ = level.tree;
  depth_ = level.depth;
  return *histograms_;
}

std::unique_ptr<Payload> JointExchange::noise(const Level& level, const CandidatePlan& plan,
                                              const kernels::Batch& batch) {
  return std::make_unique<JointNoise>(*this, level, plan, batch);
}

std::unique_ptr<Payload> joint_answer(std::unique_ptr<Payload> noise, const JointValues& values,
                                      size_t cells) {
  std::unique_ptr<JointNoise> sealed(&dynamic_cast<JointNoise&>(*noise.release()));
  return std::make_unique<JointAnswer>(std::move(sealed), values, cells);
}

BlockSums joint_sums(Payload& answer) {
  return dynamic_cast<JointAnswer&>(answer).sums();
}

}  // namespace maskbench
