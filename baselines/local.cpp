#include "baselines/methods.hpp"

namespace maskbench {

namespace {

// AP trains on its own features; PP is never asked. The floor a federated method must beat.
class LocalActive : public ActiveSide {
 public:
  using ActiveSide::ActiveSide;
  PassivePart passive_part() const override { return PassivePart::idle; }
  Price choice_price() override { return Price::not_personal("nothing is ever sent"); }
};

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
      .active = active_side<LocalActive>,
      .passive = passive_side<LocalPassive>,
  };
  return method;
}

}  // namespace maskbench
