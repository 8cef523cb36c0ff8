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
  return scenes;
}

}  // namespace maskbench::kernels
