#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace maskbench {

// A second stack on the same thread: a program that can stop in the middle and go on later. Handing
// over between it and its owner takes a fraction of a microsecond; between two threads it takes ten
// or more, which is longer than a small node.
class Fibre {
 public:
  // body must not throw.
  explicit Fibre(std::function<void()> body);
  ~Fibre();  // the body must have ended, or never have begun
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // By the owner: goes on with the body until it yields or ends.
  void resume();
  // By the body: back to the owner.
  void yield();
  bool has_ended() const { return ended_; }

 private:
  static void enter(unsigned low, unsigned high);
  void run();
  void switch_to_owner();

  std::function<void()> body_;
  std::byte* stack_ = nullptr;
  ucontext_t owner_{}, inside_{};
  bool ended_ = false;
  // What the sanitizers must be told about stacks.
  void* owner_fake_stack_ = nullptr;
  void* inside_fake_stack_ = nullptr;
  const void* owner_stack_ = nullptr;
  size_t owner_stack_size_ = 0;
  void* owner_tsan_ = nullptr;
  void* inside_tsan_ = nullptr;
};

}  // namespace maskbench
