#pragma once

// What the program is doing, for a profiler: ranges in NVTX's domain `maskbench`. Without a tool
// attached a range costs one comparison; built without NVTX's headers it is nothing at all.
#include <cstdint>

namespace maskbench::trace {

// What a range is about, as far as it is known when the range starts.
struct Load {
  uint64_t tree = 0;
  uint64_t depth = 0;
  uint64_t nodes = 0;
  uint64_t candidates = 0;
  uint64_t cells = 0;
  uint64_t bytes = 0;
};

// Is somebody listening?
bool is_on();

// A moment. `name` is a string literal, here and below: it is registered once.
void mark(const char* name, const Load& load = {});

// From here to the end of the scope. The two parties take turns on one thread, so ranges of one
// overlap those of the other: they are process ranges, not a thread's stack.
class Range {
 public:
  explicit Range(const char* name, const Load& load = {});
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  uint64_t id_ = 0;
  bool is_open_ = false;
};

}  // namespace maskbench::trace
