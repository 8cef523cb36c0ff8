#include "harness/sweep/interrupt.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

using Flag = std::atomic<bool>;
static_assert(Flag::is_always_lock_free);

Flag* stop_asked = nullptr;
volatile sig_atomic_t signals_here = 0;
volatile sig_atomic_t quiet = 0;

void on_signal(int) {
  if (signals_here) _exit(130);
  signals_here = 1;
  stop_asked->store(true);
  if (quiet) return;
  constexpr char kMessage[] = "\nstopping after this tree; once more to quit at once\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
}

Flag* shared_flag() {
  void* memory =
      mmap(nullptr, sizeof(Flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("the system gives no shared memory");
  return new (memory) Flag(false);
}

}  // namespace

std::atomic<bool>& catch_interrupts() {
  if (!stop_asked) stop_asked = shared_flag();
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return *stop_asked;
}

void be_quiet_about_interrupts() {
  quiet = 1;
}

}  // namespace maskbench
