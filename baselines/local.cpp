#include "baselines/methods.hpp"
#include "baselines/solo.hpp"

namespace maskbench {

namespace {

// AP trains on its own features; PP is never asked. The floor a federated method must beat.
class LocalPassive : public PassiveSide {
 public:
  using PassiveSide::PassiveSide;
  PassivePart part() const override { return PassivePart::idle; }
};

}  // namespace

const Method& local_method() {
  static const Method method = {
      .id = "local",
      .what = "AP trains on its own features alone: the floor",
      .active = active_side<SoloActive>,
      .passive = passive_side<LocalPassive>,
  };
  return method;
}

}  // namespace maskbench
