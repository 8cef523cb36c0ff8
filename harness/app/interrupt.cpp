#include "harness/app/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

namespace maskbench {
namespace {

std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (stop_asked.exchange(true)) _exit(130);
  constexpr char kMessage[] = "\nstopping after this tree; once more to quit at once\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
}

}  // namespace

std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return stop_asked;
}

}  // namespace maskbench
