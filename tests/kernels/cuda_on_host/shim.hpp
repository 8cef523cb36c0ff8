#pragma once

#include <cstddef>
#include <memory>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// The CUDA backend's own source, run as fibres on the host.
std::unique_ptr<Backend> shim_backend();
void run_warps_backward(bool backward);  // in which order its warps run ahead
// The same with this many bytes of memory; counts the allocations that did not fit.
std::unique_ptr<Backend> limited_shim_backend(size_t bytes, size_t* refusals);

}  // namespace maskbench::kernels
