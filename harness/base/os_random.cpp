#include "harness/base/os_random.hpp"

#include <sys/random.h>

#include "harness/base/error.hpp"

namespace maskbench {

uint64_t os_random() {
  uint64_t key = 0;
  if (getrandom(&key, sizeof key, 0) != sizeof key) throw Error("the system gives no random bytes");
  return key;
}

}  // namespace maskbench
