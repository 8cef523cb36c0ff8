#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cuda_on_host::toy {

// A small kernel, what the shim must say of it, and what it says.
struct Toy {
  std::string name;
  std::string expected;
  std::function<std::string()> verdict;
};
std::vector<Toy> toys();

}  // namespace cuda_on_host::toy
