#include "baselines/methods.hpp"
#include "harness/core/histogram_passive.hpp"

namespace maskbench {

// AP trains on its own features; PP never proposes. The floor a federated method must beat.
Method make_local(const MethodContext& c) {
  return {std::make_unique<ActiveSide>(c.ap, c.score_params(), c.pool),
          std::make_unique<SilentPassive>(c.pp, c.pool)};
}

}  // namespace maskbench
