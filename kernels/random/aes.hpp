#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/random/philox.hpp"

namespace maskbench {

// AES-128 (FIPS 197) of a counter: the second generator beside Philox, with a key of 128 bits and
// for secrets that an adversary with any computer must not guess. Same counters, no state either.
// It needs the AES instructions of the processor: they take the same time for every key, which
// tables in memory do not, so there is no other way. Host only.
class AesKey {
 public:
  static constexpr size_t kBytes = 16;
  static constexpr size_t kRounds = 10;

  // Throws KernelError where aes_missing() says why.
  explicit AesKey(std::span<const uint8_t, kBytes> key);
  ~AesKey();  // wipes
  AesKey(const AesKey&) = delete;
  AesKey& operator=(const AesKey&) = delete;

  const uint8_t* round(size_t number) const { return schedule_[number]; }

 private:
  alignas(16) uint8_t schedule_[kRounds + 1][kBytes];
};

// One block; the words are bytes in little-endian order.
PhiloxBlock random_block(PhiloxBlock counter, const AesKey* key);

// Why there is no AES here; empty if there is.
std::string aes_missing();

}  // namespace maskbench
