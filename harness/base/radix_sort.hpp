#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace maskbench {

// Unsigned keys in the order of the floats: negative ones are complemented, others get the top bit.
// -0 has the key of 0. No NaN.
inline uint32_t float_key(float value) {
  const auto bits = std::bit_cast<uint32_t>(value + 0.0f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

inline float float_of_key(uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key & ~0x80000000u : ~key);
}

// Ascending by the upper 32 bits, which are all of a 32-bit key: three passes of 11 bits. Keys with
// equal upper bits keep their order.
template <class Key>
void radix_sort(std::vector<Key>& keys) {
  constexpr int kBits = 11, kDigits = 3, kLow = 8 * sizeof(Key) - 32;
  const auto digit_of = [](Key key, int digit) {
    return (key >> (kLow + digit * kBits)) & ((1u << kBits) - 1);
  };
  std::array<std::array<size_t, size_t{1} << kBits>, kDigits> starts{};
  for (const Key key : keys) {
    for (int d = 0; d < kDigits; ++d) ++starts[d][digit_of(key, d)];
  }
  std::vector<Key> other(keys.size());
  for (int d = 0; d < kDigits; ++d) {
    size_t start = 0;
    for (size_t& count : starts[d]) start += std::exchange(count, start);
    for (const Key key : keys) other[starts[d][digit_of(key, d)]++] = key;
    keys.swap(other);
  }
}

}  // namespace maskbench
