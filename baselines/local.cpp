#include "baselines/methods.hpp"
#include "harness/core/histogram_passive.hpp"

namespace maskbench {

namespace {

// AP trains on its own features; PP is never asked. The floor a federated method must beat.
class LocalActive : public ActiveSide {
 public:
  using ActiveSide::ActiveSide;
  bool is_solo() const override { return true; }
};

}  // namespace

Method make_local(const MethodContext& c) {
  return {std::make_unique<LocalActive>(c.ap, c.score_params(), c.compute()),
          std::make_unique<SilentPassive>(c.pp, c.pool)};
}

}  // namespace maskbench
