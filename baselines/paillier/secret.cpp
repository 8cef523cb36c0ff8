#include "baselines/paillier/secret.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace maskbench::paillier {
namespace {

void* take(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_back(void* memory, std::size_t bytes) {
  wipe(memory, bytes);
  std::free(memory);
}

void* grow(void* memory, std::size_t old_bytes, std::size_t bytes) {
  void* larger = take(bytes);
  std::memcpy(larger, memory, std::min(old_bytes, bytes));
  give_back(memory, old_bytes);
  return larger;
}

}  // namespace

void wipe(void* memory, std::size_t bytes) {
  OPENSSL_cleanse(memory, bytes);
}

void wipe_what_gmp_frees() {
  static std::once_flag once;
  std::call_once(once, [] { mp_set_memory_functions(take, grow, give_back); });
}

}  // namespace maskbench::paillier
