#pragma once

#include <vector>

#include "tests/kernels/scene.hpp"
#include "tests/kernels/search_scene.hpp"

namespace maskbench::kernels {

inline std::vector<Scene> conformance_scenes() {
  const NoiseScale noisy = noise_scale(9000.5, 4321.25);
  std::vector<Scene> scenes;
  scenes.emplace_back(std::vector<uint32_t>{1, 2, 33, 129, 500}, 1, noisy);
  scenes.emplace_back(std::vector<uint32_t>{1024, 1025, 2100}, 1, noisy);
  scenes.emplace_back(std::vector<uint32_t>{140, 0, 1100}, 3, noisy);
  scenes.emplace_back(std::vector<uint32_t>{300}, 2, NoiseScale{});
  // At a deviation near 4e5 steps a draw that differs in its last bit is often another integer: here
  // an fma that is not one shows.
  scenes.emplace_back(std::vector<uint32_t>{700, 60}, 1, noise_scale(200'000.5, 400'000.25), 100);
  return scenes;
}

}  // namespace maskbench::kernels
