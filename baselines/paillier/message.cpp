#include "baselines/paillier/message.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "baselines/paillier/blocks.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

std::size_t widest(std::span<const mpz_class> values) {
  std::size_t limbs = 1;
  for (const auto& value : values) limbs = std::max(limbs, mpz_size(value.get_mpz_t()));
  return limbs;
}

// 2 |m| < n, in a time that does not depend on m.
bool below_half(const Plaintexts& plaintexts, std::size_t i, const SquareRing& ring) {
  StackLimbs<kMaxLimbs> twice, difference;
  const auto size = static_cast<mp_size_t>(ring.half());
  const Limb carry = mpn_lshift(twice, plaintexts.magnitude(i), size, 1);
  const Limb borrow = mpn_sub_n(difference, twice, ring.n(), size);
  return (borrow & ~carry & 1) != 0;
}

bool coprime(const Limb* residue, const PublicKey& key) {
  return gcd(read_limbs(residue, key.ring().half()), key.n()) == 1;
}

void residue_mod_n(Limb* residue, const Limb* ciphertext, const SquareRing& ring) {
  Limb quotient[kMaxLimbs + 1];
  mpn_tdiv_qr(quotient, residue, 0, ciphertext, static_cast<mp_size_t>(ring.limbs()), ring.n(),
              static_cast<mp_size_t>(ring.half()));
}

void check_range(const CipherMessage& message, const PublicKey& key, std::size_t first,
                 std::size_t last) {
  const SquareRing& ring = key.ring();
  const auto width = static_cast<mp_size_t>(ring.limbs());
  Limb residue[kMaxLimbs], product[kMaxLimbs];
  std::copy_n(ring.one(), ring.half(), product);
  for (std::size_t i = first; i < last; ++i) {
    if (mpn_zero_p(message[i], width) || mpn_cmp(message[i], ring.n_squared(), width) >= 0)
      throw Error(
          fmt::format("paillier: ciphertext {} is not in 1..n^2-1; the sender is broken", i));
    residue_mod_n(residue, message[i], ring);
    ring.multiply_mod_n(product, product, residue);
  }
  // One common factor anywhere shows in the product (R is coprime with n): one gcd for the block.
  if (coprime(product, key)) return;
  for (std::size_t i = first; i < last; ++i) {
    residue_mod_n(residue, message[i], ring);
    if (!coprime(residue, key))
      throw Error(
          fmt::format("paillier: ciphertext {} shares a factor with n; the sender is broken", i));
  }
}

}  // namespace

Plaintexts::Plaintexts(std::size_t count, std::size_t limbs)
    : limbs_(limbs), magnitudes_(count * limbs), negative_(count) {}

Plaintexts::Plaintexts(std::span<const mpz_class> values)
    : Plaintexts(values.size(), widest(values)) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    write_limbs(magnitude(i), limbs_, abs(values[i]));
    set_negative(i, values[i] < 0);
  }
}

mpz_class Plaintexts::operator[](std::size_t i) const {
  const mpz_class value = read_limbs(magnitude(i), limbs_);
  return negative(i) ? mpz_class(-value) : value;
}

CipherMessage::CipherMessage(const PublicKey& key, std::size_t count)
    : limbs_each_(key.ciphertext_limbs()), words_(1 + count * limbs_each_) {
  words_[0] = key.id();
}

CipherMessage::CipherMessage(const PublicKey& receiver, std::vector<Limb> words)
    : limbs_each_(receiver.ciphertext_limbs()), words_(std::move(words)) {
  if (words_.empty() || (words_.size() - 1) % limbs_each_ != 0)
    throw Error(
        fmt::format("paillier: a message of {} bytes is not a key id and whole ciphertexts "
                    "of {} bytes; the sender uses another key length",
                    8 * words_.size(), receiver.ciphertext_bytes()));
}

void check(const CipherMessage& message, const PublicKey& key, ThreadPool& pool) {
  if (message.words()[0] != key.id())
    throw Error(
        fmt::format("paillier: a message of key {:016x} reached key {:016x}; both parties "
                    "must use the public key of this run",
                    message.words()[0], key.id()));
  for_blocks(pool, message.size(), 512,
             [&](std::size_t first, std::size_t last) { check_range(message, key, first, last); });
}

void check(const Plaintexts& plaintexts, const PublicKey& key) {
  if (plaintexts.limbs() < key.ring().half()) return;
  for (std::size_t i = 0; i < plaintexts.size(); ++i)
    if (plaintexts.limbs() > key.ring().half() || !below_half(plaintexts, i, key.ring()))
      throw Error(fmt::format("paillier: plaintext {} is not within -n/2..n/2 of a {}-bit key", i,
                              key.bits()));
}

}  // namespace maskbench::paillier
