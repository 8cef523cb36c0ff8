#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/random/philox.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// FNV-1a of 32 or 64 bits.
template <class Word>
constexpr Word hash_of(std::string_view text) {
  constexpr bool wide = sizeof(Word) == 8;
  Word hash = static_cast<Word>(wide ? 0xcbf29ce484222325ull : 0x811c9dc5ull);
  constexpr Word prime = static_cast<Word>(wide ? 0x100000001b3ull : 0x1000193ull);
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * prime;
  return hash;
}

// A key of its own for each purpose, so that no two uses of one seed share random bits.
constexpr PhiloxBlock purpose_counter(std::string_view purpose) {
  const auto hash = hash_of<uint64_t>(purpose);
  return {{static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), 0x6d61736bu, 0}};
}

constexpr PhiloxKey derive_key(uint64_t seed, std::string_view purpose) {
  const PhiloxBlock block = philox(
      purpose_counter(purpose), {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return {block.x[0], block.x[1]};
}

constexpr uint64_t derive_seed(uint64_t seed, std::string_view purpose) {
  const PhiloxKey key = derive_key(seed, purpose);
  return uint64_t{key.k1} << 32 | key.k0;
}

// The random numbers that belong to one place (say: tree, node): a short stream, the same whoever
// asks and whenever.
class Draws {
 public:
  explicit Draws(RandomKey key, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0)
      : key_(std::move(key)), counter_{{0, a, b, c}} {}

  uint32_t word() {
    if (used_ == 4) {
      block_ = key_.block(counter_);
      ++counter_.x[0];
      used_ = 0;
    }
    return block_.x[used_++];
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() {
    const uint64_t high = word();
    return static_cast<double>((high << 32 | word()) >> 11) * 0x1p-53;
  }

  // Uniform in [0, n): Lemire's multiplication with rejection, exactly unbiased.
  uint32_t below(uint32_t n) {
    for (;;) {
      const uint64_t product = uint64_t{word()} * n;
      if (static_cast<uint32_t>(product) >= (0u - n) % n)
        return static_cast<uint32_t>(product >> 32);
    }
  }

 private:
  RandomKey key_;
  PhiloxBlock counter_;
  PhiloxBlock block_;
  int used_ = 4;
};

}  // namespace maskbench
