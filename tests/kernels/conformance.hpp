#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "tests/kernels/conformance_scenes.hpp"
#include "tests/kernels/own_threads.hpp"

namespace maskbench::kernels {

// One backend of the conformance suite; `missing` says why it cannot run here, if it cannot.
struct Contestant {
  std::string name;
  std::function<std::shared_ptr<Backend>()> make;
  std::function<std::string()> missing = [] { return std::string(); };
};

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
