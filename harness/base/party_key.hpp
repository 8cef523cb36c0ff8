#pragma once

#include <string_view>

#include "harness/base/choices.hpp"
#include "kernels/random/random_key.hpp"

namespace maskbench {

// What all randomness of a party is derived from: 128 bits, of which Philox takes the lower 64.
class PartyKey {
 public:
  PartyKey(uint64_t seed, Generator generator = Generator::philox);  // NOLINT: a seed is a key
  PartyKey(uint64_t low, uint64_t high, Generator generator)
      : low_(low), high_(high), generator_(generator) {}
  static PartyKey from_os(Generator generator);
  PartyKey(const PartyKey&) = default;
  PartyKey& operator=(const PartyKey&) = default;
  ~PartyKey();  // wipes

  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }
  Generator generator() const { return generator_; }

  // A key of its own for each purpose. Throws KernelError if this machine lacks the generator.
  RandomKey derive(std::string_view purpose) const;

 private:
  uint64_t low_, high_;
  Generator generator_;
};

// Of the noise on PP's answers when a model is used: from the system, and as good as the processor
// can draw.
RandomKey fresh_query_key();

inline RandomKey derive_key(const PartyKey& key, std::string_view purpose) {
  return key.derive(purpose);
}

}  // namespace maskbench
