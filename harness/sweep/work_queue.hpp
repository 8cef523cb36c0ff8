#pragma once

#include <cstddef>
#include <optional>

namespace maskbench {

// Hands out the runs to do, by index into the plan.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  virtual std::optional<size_t> next() = 0;
};

}  // namespace maskbench
