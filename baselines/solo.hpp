#pragma once

#include "harness/exchange/method.hpp"

namespace maskbench {

// A party that boosts on its own features and asks nobody.
class SoloActive : public ActiveSide {
 public:
  using ActiveSide::ActiveSide;
  PassivePart passive_part() const override { return PassivePart::idle; }
  Price choice_price() override { return Price::not_personal("nothing is ever sent"); }
};

}  // namespace maskbench
