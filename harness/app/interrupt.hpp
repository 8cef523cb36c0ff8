#pragma once

#include <atomic>

namespace maskbench {

// From here on the first Ctrl-C (or SIGTERM) sets the flag, the second ends the process at once.
std::atomic<bool>& catch_interrupts();

}  // namespace maskbench
