#pragma once

#include <atomic>

namespace maskbench {

// From here on the first Ctrl-C (or SIGTERM) sets the flag, the second ends the process at once.
// Processes forked afterwards have the flag in common: a stop is for all of them.
std::atomic<bool>& catch_interrupts();

// The leader of a team says that it is stopping; the others need not.
void be_quiet_about_interrupts();

}  // namespace maskbench
