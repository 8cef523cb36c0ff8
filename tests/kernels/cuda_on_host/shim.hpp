#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/backend.hpp"

namespace maskbench::kernels {

// The CUDA backend's own source, run as fibres on the host.
std::unique_ptr<Backend> shim_backend();
void run_warps_backward(bool backward);  // in which order its warps run ahead
// The same with this many bytes of memory; counts the allocations that did not fit.
std::unique_ptr<Backend> limited_shim_backend(size_t bytes, size_t* refusals);
// Throws if a level has more of them than the backend can number.
void check_tiles_of_shim(size_t tiles);
// The kernel partition_rows over one node whose rows are 0, 1, 2 ...; set bits go left.
std::vector<uint32_t> partition_of_shim(const std::vector<uint32_t>& rows,
                                        const std::vector<uint64_t>& bits);
// Its Device's scan, waited for.
std::vector<uint32_t> scan_of_shim(const std::vector<uint32_t>& values);

}  // namespace maskbench::kernels
