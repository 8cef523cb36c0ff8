#include "baselines/methods.hpp"
#include "baselines/released_gradients.hpp"

namespace maskbench {

namespace {

// AP sends its gradients in clear: the ceiling for AUC and the floor for time.
class NonprivateActive : public ActiveSide {
 public:
  using ActiveSide::ActiveSide;

  void begin_tree(int tree, const Gradients& clean) override {
    ActiveSide::begin_tree(tree, clean);
    send_gradients(tree, clean, channel_,
                   Price::exposed("gradients in clear", privacy::View::stated));
  }
  Price choice_price() override { return clean_choice_price(); }
};

class NonprivatePassive : public GradientPassive {
 public:
  explicit NonprivatePassive(const PassiveContext& c) : GradientPassive(c, Refresh::tree) {}
};

}  // namespace

const Method& nonprivate_method() {
  static const Method method = {
      .id = "nonprivate",
      .what = "g and h in clear: the ceiling for AUC, the floor for time",
      .active = active_side<NonprivateActive>,
      .passive = passive_side<NonprivatePassive>,
      .evidence = {Evidence::gradients},
      .own_bytes = gradient_bytes,
  };
  return method;
}

}  // namespace maskbench
