#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

#include "kernels/noise.hpp"

namespace maskbench::kernels {

// CUDA cannot be used by a process that was forked after CUDA had started in its parent.
class ForkGuard {
 public:
  // Before every use. Throws KernelError in a child of the process that used it first.
  void enter() {
    pid_t first = 0;
    if (owner_.compare_exchange_strong(first, getpid()) || first == getpid()) return;
    throw KernelError(
        "backend cuda: CUDA was started before this worker was forked and cannot be used in it; "
        "start the workers by mpirun");
  }

 private:
  std::atomic<pid_t> owner_{0};
};

}  // namespace maskbench::kernels
