#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "tests/kernels/scene.hpp"
#include "tests/kernels/search_scene.hpp"

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

// One backend of the conformance suite; `missing` says why it cannot run here, if it cannot.
struct Contestant {
  std::string name;
  std::function<std::shared_ptr<Backend>()> make;
  std::function<std::string()> missing = [] { return std::string(); };
};

inline std::vector<Scene> conformance_scenes() {
  const NoiseScale noisy = noise_scale(9000.5, 4321.25);
  std::vector<Scene> scenes;
  scenes.emplace_back(std::vector<uint32_t>{1, 2, 33, 129, 500}, 1, noisy);
  scenes.emplace_back(std::vector<uint32_t>{1024, 1025, 2100}, 1, noisy);
  scenes.emplace_back(std::vector<uint32_t>{140, 0, 1100}, 3, noisy);
  scenes.emplace_back(std::vector<uint32_t>{300}, 2, NoiseScale{});
  return scenes;
}

// Does the backend give the very integers, scores and choices of the scalar loops?
inline bool conforms(Backend& backend) {
  const auto reference = cpu(1, Simd::kScalar);
  for (const Scene& scene : conformance_scenes()) {
    if (run_all(backend, scene) != run_all(*reference, scene)) return false;
  }
  for (const SearchScene& scene : search_scenes()) {
    if (run_search(backend, scene) != run_search(*reference, scene)) return false;
  }
  return true;
}

}  // namespace maskbench::kernels
