#pragma once

#include <memory>

#include "kernels/random/aes.hpp"
#include "kernels/random/philox.hpp"

namespace maskbench {

// Which generator draws, and its key: (key, counter) -> 128 bits. Who draws much asks once (visit)
// and works with a template over the two kinds of keys.
class RandomKey {
 public:
  RandomKey(PhiloxKey key = {}) : philox_(key) {}  // NOLINT: most randomness is Philox's
  RandomKey(uint32_t k0, uint32_t k1) : philox_{k0, k1} {}
  explicit RandomKey(std::shared_ptr<const AesKey> key) : aes_(std::move(key)) {}

  template <class Visit>
  decltype(auto) visit(Visit&& draw) const {
    return aes_ ? draw(static_cast<const AesKey*>(aes_.get())) : draw(philox_);
  }

  PhiloxBlock block(PhiloxBlock counter) const {
    return visit([&](auto key) { return random_block(counter, key); });
  }

  // For who knows Philox alone. Throws KernelError if it is another's.
  PhiloxKey philox() const;

 private:
  PhiloxKey philox_;
  std::shared_ptr<const AesKey> aes_;
};

}  // namespace maskbench
