#pragma once

#include <memory>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// The CPU's backend with threads of its own.
struct CpuWithThreads {
  ThreadPool pool;
  std::unique_ptr<Backend> backend;
  CpuWithThreads(int threads, Simd simd) : pool(threads), backend(cpu_backend(pool, simd)) {}
};
inline std::shared_ptr<Backend> cpu(int threads, Simd simd = Simd::kBest) {
  auto both = std::make_shared<CpuWithThreads>(threads, simd);
  return {both, both->backend.get()};
}

}  // namespace maskbench::kernels
