#include "harness/exchange/side.hpp"

#include <algorithm>

namespace maskbench {

TreeClock::Reading TreeClock::read() const {
  return {std::chrono::steady_clock::now(), channel_.blocked_seconds(), channel_.delay_seconds()};
}

void TreeClock::end_tree() {
  const Reading now = read();
  const std::chrono::duration<double> passed = now.now - last_.now;
  trees_.push_back({passed.count() - (now.blocked - last_.blocked), now.delay - last_.delay});
}

}  // namespace maskbench
