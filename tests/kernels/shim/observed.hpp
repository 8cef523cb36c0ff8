#pragma once

#include <memory>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// The CUDA backend's own source on the host, with every access of its kernels observed.
std::unique_ptr<Backend> observed_backend();

}  // namespace maskbench::kernels
