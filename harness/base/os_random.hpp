#pragma once

#include <cstdint>

namespace maskbench {

// A key from the operating system. Throws Error if it gives none.
uint64_t os_random();

}  // namespace maskbench
