#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace maskbench {

// Philox4x32-10 (Salmon et al., SC 2011): a keyed bijection of a 128-bit counter.
// No state: the same key and counter give the same four words on any thread, tile or backend.
struct PhiloxKey {
  uint32_t k0 = 0;
  uint32_t k1 = 0;
};

struct PhiloxBlock {
  uint32_t x[4] = {0, 0, 0, 0};
};

MB_HD constexpr PhiloxBlock philox_round(PhiloxBlock c, PhiloxKey k) {
  const uint64_t a = uint64_t{0xD2511F53u} * c.x[0];
  const uint64_t b = uint64_t{0xCD9E8D57u} * c.x[2];
  return {{static_cast<uint32_t>(b >> 32) ^ c.x[1] ^ k.k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c.x[3] ^ k.k1, static_cast<uint32_t>(a)}};
}

MB_HD constexpr PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key);
    key.k0 += 0x9E3779B9u;
    key.k1 += 0xBB67AE85u;
  }
  return counter;
}

// 128 random bits of a key and a counter; aes.hpp has the other.
MB_HD constexpr PhiloxBlock random_block(PhiloxBlock counter, PhiloxKey key) {
  return philox(counter, key);
}

}  // namespace maskbench
