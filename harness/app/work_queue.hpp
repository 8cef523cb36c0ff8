#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace maskbench {

// Hands out the runs to do, by index into the plan.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  virtual std::optional<size_t> next() = 0;
};

class ListQueue : public WorkQueue {
 public:
  explicit ListQueue(std::vector<size_t> items) : items_(std::move(items)) {}
  std::optional<size_t> next() override {
    return position_ < items_.size() ? std::optional(items_[position_++]) : std::nullopt;
  }

 private:
  std::vector<size_t> items_;
  size_t position_ = 0;
};

}  // namespace maskbench
