#include "baselines/methods.hpp"
#include "harness/core/histogram_passive.hpp"

namespace maskbench {

namespace {

// AP sends its gradients in clear: the ceiling for AUC and the floor for time.
class NonprivateActive : public ActiveSide {
 public:
  explicit NonprivateActive(const MethodContext& c)
      : ActiveSide(c.ap, c.score_params(), c.compute()) {
    c.accountant.charge(privacy::Party::active,
                        privacy::Mechanism::exposed(privacy::View::stated, "gradients in clear"),
                        {});
  }

  void begin_tree(int tree, const Gradients& clean, Wire& wire) override {
    ActiveSide::begin_tree(tree, clean, wire);
    send_gradients(tree, clean, wire);
  }
};

}  // namespace

Method make_nonprivate(const MethodContext& c) {
  return {std::make_unique<NonprivateActive>(c),
          std::make_unique<HistogramPassive>(c.pp, c.score_params(), c.compute())};
}

}  // namespace maskbench
