#include "harness/masked/joint.hpp"

namespace maskbench {

// PP's recipe of a level. Its content is private: AP can only answer it.
class JointNoise final : public SimulatedPayload {
 public:
  JointNoise(JointExchange& exchange, const Level& level, size_t bytes)
      : SimulatedPayload(bytes), exchange_(exchange), level_(level) {}

 private:
  friend class JointAnswer;
  JointExchange& exchange_;
  const Level& level_;
};

// AP's part added. Its content is private: PP can only ask for the sums.
class JointAnswer final : public SimulatedPayload {
 public:
  JointAnswer(std::unique_ptr<JointNoise> noise, const JointValues& ap, size_t bytes)
      : SimulatedPayload(bytes), noise_(std::move(noise)), ap_(ap) {}

  void take_sums() {
    JointExchange& exchange = noise_->exchange_;
    const kernels::JointInput input{exchange.histograms_of(noise_->level_, ap_), ap_.lift,
                                    ap_.weights, ap_.factor};
    if (exchange.mode_ == Mode::collapsed) {
      exchange.backend_.collapsed(input);
    } else {
      exchange.backend_.fused(input);
    }
  }

 private:
  std::unique_ptr<JointNoise> noise_;
  JointValues ap_;
};

JointExchange::JointExchange(const PartyData& pp, const Compute& compute, kernels::Backend& backend,
                             Mode mode)
    : backend_(backend), mode_(mode), histograms_(pp, compute) {}

// A level in which PP had nothing to split left no histograms for its children to come from.
kernels::Histograms& JointExchange::histograms_of(const Level& level, const JointValues& ap) {
  const bool follows = level.tree == tree_ && level.depth == depth_ + 1 && !ap.grid_changed;
  histograms_.update(level, ap.gradients, level.depth > 0 && !follows);
  tree_ = level.tree;
  depth_ = level.depth;
  return histograms_.kept();
}

std::unique_ptr<Payload> JointExchange::noise(const Level& level, size_t bytes) {
  return std::make_unique<JointNoise>(*this, level, bytes);
}

std::unique_ptr<Payload> joint_answer(std::unique_ptr<Payload> noise, const JointValues& values,
                                      size_t bytes) {
  std::unique_ptr<JointNoise> sealed(&dynamic_cast<JointNoise&>(*noise.release()));
  return std::make_unique<JointAnswer>(std::move(sealed), values, bytes);
}

void take_joint_sums(Payload& answer) {
  dynamic_cast<JointAnswer&>(answer).take_sums();
}

}  // namespace maskbench
