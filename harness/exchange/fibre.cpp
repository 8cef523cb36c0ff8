#include "harness/exchange/fibre.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "harness/base/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace maskbench {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStack = size_t{8} << 20;  // as a thread's; only what is used takes memory

std::byte* map_stack() {
  void* memory = mmap(nullptr, kStack + kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw Error("no memory for the second party's stack");
  mprotect(memory, kPage, PROT_NONE);  // an overflow stops there
  return static_cast<std::byte*>(memory);
}

}  // namespace

Fibre::Fibre(std::function<void()> body) : body_(std::move(body)), stack_(map_stack()) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_ + kPage;
  inside_.uc_stack.ss_size = kStack;
  inside_.uc_link = nullptr;
  // makecontext passes ints only.
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fibre::enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(self >> 32));
#if defined(__SANITIZE_THREAD__)
  inside_tsan_ = __tsan_create_fiber(0);
#endif
}

Fibre::~Fibre() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(inside_tsan_);
#endif
  munmap(stack_, kStack + kPage);
}

void Fibre::enter(unsigned low, unsigned high) {
  reinterpret_cast<Fibre*>(static_cast<uintptr_t>(high) << 32 | low)->run();
}

void Fibre::run() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &owner_stack_, &owner_stack_size_);
#endif
  body_();
  ended_ = true;
  switch_to_owner();
}

void Fibre::resume() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&owner_fake_stack_, stack_ + kPage, kStack);
#endif
#if defined(__SANITIZE_THREAD__)
  owner_tsan_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inside_tsan_, 0);
#endif
  swapcontext(&owner_, &inside_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(owner_fake_stack_, nullptr, nullptr);
#endif
}

void Fibre::switch_to_owner() {
#if defined(__SANITIZE_ADDRESS__)
  // A null fake stack: this fibre will not come back.
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &inside_fake_stack_, owner_stack_,
                                 owner_stack_size_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(owner_tsan_, 0);
#endif
  swapcontext(&inside_, &owner_);
}

void Fibre::yield() {
  switch_to_owner();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(inside_fake_stack_, &owner_stack_, &owner_stack_size_);
#endif
}

}  // namespace maskbench
