#pragma once

// All memory that kernels may touch, byte by byte: is it allocated, was it written, who touched it
// last. Operations on device memory (copies, fills, kernels) are told to it; each single access of
// a kernel too where the kernels are compiled with -fsanitize=thread and tsan_hooks.cpp is linked.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/kernels/cuda_on_host/fault.hpp"

namespace cuda_on_host {

enum class Use { kRead, kWrite, kAtomic };

// Is each access of a kernel seen?
bool is_observing();
void observe_kernels();

// An access of the running thread of a kernel. Ends the grid if it is wrong.
void observe(const void* address, size_t bytes, Use use);
// The same for the shim's atomics, which do nothing where kernels are not observed.
void note_atomic(const void* address, size_t bytes);

// An access of an operation that is no kernel. Throws Fault. A read wants one written byte in each
// `granule`: 1 for every byte, more for structs with padding, which nobody writes.
void touch(const void* address, size_t bytes, Use use, size_t granule = 1);

// Device memory between two red zones. It is born, and dies, when the operation that allocates or
// frees it has its turn on its stream.
std::byte* make_device_memory(size_t bytes, const std::string& name);
void give_birth(std::byte* memory);
void free_device_memory(std::byte* memory);  // poisoned and kept for a while
void drop_device_memory(std::byte* memory);  // gone: nobody can have used it

// Page-locked memory that the host expects results in: whoever reads too early gets nonsense.
void poison(void* memory, size_t bytes);

// What kernels read and nobody writes: the arguments of a launch.
class ConstantRange {
 public:
  ConstantRange(const void* begin, size_t bytes);
  ~ConstantRange();
  ConstantRange(const ConstantRange&) = delete;

 private:
  const void* begin_;
};

// Shared memory of a block, forgotten when the next one starts.
class SharedRange {
 public:
  SharedRange(void* begin, size_t bytes, const char* name = "dynamic shared memory");
  ~SharedRange();
  SharedRange(const SharedRange&) = delete;
  void poison() const;

 private:
  void* begin_;
  size_t bytes_;
};

// A `__shared__` variable of type T. Each declaration has a Tag of its own.
class SharedVariable {
 public:
  SharedVariable(void* begin, size_t bytes, const char* name);
  void enter();  // poisons it when the first thread of a block comes by

 private:
  SharedRange range_;
  uint32_t block_ = 0;
};

inline constexpr size_t kRedZone = 256;

template <class T, class Tag>
__attribute__((noinline, no_sanitize("thread"))) T& shared(Tag, const char* name) {
  struct Zoned {
    alignas(16) std::byte before[kRedZone];
    T value;
    std::byte after[kRedZone];
  };
  static Zoned zoned;
  static SharedVariable variable(&zoned.value, sizeof zoned.value, name);
  variable.enter();
  return zoned.value;
}

}  // namespace cuda_on_host
