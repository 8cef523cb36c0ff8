// The functions that -fsanitize=thread puts before every access to memory, defined here instead of
// by ThreadSanitizer's library: so each access of a kernel is seen without a word in its source.
// Linked only into a test whose kernels are compiled that way.
#include <cstddef>
#include <cstdint>

#include "tests/kernels/cuda_on_host/fibres.hpp"
#include "tests/kernels/cuda_on_host/memory.hpp"

namespace {

void see(const void* address, size_t bytes, cuda_on_host::Use use) {
  if (cuda_on_host::in_kernel()) cuda_on_host::observe(address, bytes, use);
}

[[maybe_unused]] const bool is_on = (cuda_on_host::observe_kernels(), true);

}  // namespace

#define MB_HOOKS(bytes)                                   \
  void __tsan_read##bytes(void* address) {                \
    see(address, bytes, cuda_on_host::Use::kRead);        \
  }                                                       \
  void __tsan_write##bytes(void* address) {               \
    see(address, bytes, cuda_on_host::Use::kWrite);       \
  }                                                       \
  void __tsan_unaligned_read##bytes(void* address) {      \
    see(address, bytes, cuda_on_host::Use::kRead);        \
  }                                                       \
  void __tsan_unaligned_write##bytes(void* address) {     \
    see(address, bytes, cuda_on_host::Use::kWrite);       \
  }                                                       \
  void __tsan_volatile_read##bytes(void* address) {       \
    see(address, bytes, cuda_on_host::Use::kRead);        \
  }                                                       \
  void __tsan_volatile_write##bytes(void* address) {      \
    see(address, bytes, cuda_on_host::Use::kWrite);       \
  }

// Atomics of the host code around the kernels (the kernels' own are the shim's): only done.
#define MB_ATOMICS(bits)                                                                          \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* at, int) {             \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t* at, uint##bits##_t value, int) {      \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                               \
  uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t* at, uint##bits##_t add, \
                                                 int) {                                           \
    return __atomic_fetch_add(at, add, __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile uint##bits##_t* at,                  \
                                                    uint##bits##_t* expected,                     \
                                                    uint##bits##_t value, int, int) {             \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                         \
  }

extern "C" {
MB_ATOMICS(8)
MB_ATOMICS(32)
MB_ATOMICS(64)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
MB_HOOKS(1)
MB_HOOKS(2)
MB_HOOKS(4)
MB_HOOKS(8)
MB_HOOKS(16)
void __tsan_read_range(void* address, size_t bytes) {
  see(address, bytes, cuda_on_host::Use::kRead);
}
void __tsan_write_range(void* address, size_t bytes) {
  see(address, bytes, cuda_on_host::Use::kWrite);
}
}
