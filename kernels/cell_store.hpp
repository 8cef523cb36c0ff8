#pragma once

#include <cstddef>
#include <span>

namespace maskbench::kernels {

// Cells that a backend keeps in memory of its own.
class CellStore {
 public:
  virtual ~CellStore() = default;
  virtual void read(std::span<std::byte> to) const = 0;  // copies them to the host
};

}  // namespace maskbench::kernels
