#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/base/choices.hpp"
#include "kernels/backend.hpp"

namespace maskbench {

// What computes: the threads, and a backend for whoever has kernels to run. Each user makes a
// backend of its own, since it binds its own party's features to it.
class Compute {
 public:
  using Maker = std::function<std::unique_ptr<kernels::Backend>()>;

  Compute(ThreadPool& pool)  // NOLINT: threads alone compute on the CPU
      : Compute(pool, "cpu", [&pool] { return kernels::cpu_backend(pool); }) {}
  Compute(ThreadPool& pool, std::string name, Maker maker)
      : pool_(&pool), name_(std::move(name)), maker_(std::move(maker)) {}

  // automatic: cuda where there is a device.
  static Compute choose(BackendChoice backend, ThreadPool& pool, int device) {
    const bool is_cuda = backend == BackendChoice::cuda ||
                         (backend == BackendChoice::automatic && kernels::cuda_missing().empty());
    if (!is_cuda) return pool;
    return {pool, "cuda", [device] { return kernels::cuda_backend(device); }};
  }

  ThreadPool& pool() const { return *pool_; }
  const std::string& name() const { return name_; }
  std::unique_ptr<kernels::Backend> backend() const { return maker_(); }

 private:
  ThreadPool* pool_;
  std::string name_;
  Maker maker_;
};

}  // namespace maskbench
