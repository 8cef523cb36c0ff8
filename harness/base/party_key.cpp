#include "harness/base/party_key.hpp"

#include <strings.h>

#include <cstring>

#include "harness/base/os_random.hpp"
#include "harness/base/random.hpp"

namespace maskbench {

namespace {

// The key's bytes while they are in use.
struct KeyBytes {
  uint8_t bytes[AesKey::kBytes];
  KeyBytes(const void* first, const void* second) {
    std::memcpy(bytes, first, sizeof(uint64_t));
    std::memcpy(bytes + sizeof(uint64_t), second, sizeof(uint64_t));
  }
  KeyBytes(const KeyBytes&) = delete;
  KeyBytes& operator=(const KeyBytes&) = delete;
  ~KeyBytes() { explicit_bzero(bytes, sizeof bytes); }
};

}  // namespace

PartyKey::PartyKey(uint64_t seed, Generator generator)
    : PartyKey(seed, derive_seed(seed, "upper half"), generator) {}

PartyKey PartyKey::from_os(Generator generator) {
  return {os_random(), os_random(), generator};
}

PartyKey::~PartyKey() {
  explicit_bzero(&low_, sizeof low_);
  explicit_bzero(&high_, sizeof high_);
}

RandomKey PartyKey::derive(std::string_view purpose) const {
  if (generator_ == Generator::philox) return derive_key(low_, purpose);
  const AesKey mine(KeyBytes(&low_, &high_).bytes);
  PhiloxBlock block = random_block(purpose_counter(purpose), &mine);
  const KeyBytes derived(block.x, block.x + 2);
  explicit_bzero(&block, sizeof block);
  return RandomKey(std::make_shared<const AesKey>(derived.bytes));
}

RandomKey fresh_query_key() {
  const Generator generator = aes_missing().empty() ? Generator::aes : Generator::philox;
  return PartyKey::from_os(generator).derive("query");
}

}  // namespace maskbench
