#include "baselines/paillier/key_owner.hpp"

#include <algorithm>

#include "baselines/paillier/blocks.hpp"
#include "baselines/paillier/entropy.hpp"

namespace maskbench::paillier {
namespace {

Limbs limbs_of(const mpz_class& value, std::size_t limbs) {
  Limbs result(limbs);
  write_limbs(result.data(), limbs, value);
  return result;
}

mpz_class inverse_of(const mpz_class& value, const mpz_class& modulus) {
  mpz_class result;
  mpz_invert(result.get_mpz_t(), value.get_mpz_t(), modulus.get_mpz_t());
  return result;
}

Limbs secret_limbs(const SquareRing& ring, const mpz_class& value) {
  Limbs result(ring.limbs());
  ring.from_integer(result.data(), value);
  return result;
}

// r = first * x + second * y mod modulus, for first*x and second*y below it.
void combine(Limb* r, const Limb* first, const Limb* x, const Limb* second, const Limb* y,
             const Limb* modulus, std::size_t k) {
  StackLimbs<2 * kMaxLimbs> other;
  multiply(r, first, x, k);
  multiply(other, second, y, k);
  Limb high = mpn_add_n(r, r, other, static_cast<mp_size_t>(2 * k));
  subtract_if_not_less(high, r, modulus, 2 * k);
}

}  // namespace

PrimeShare::PrimeShare(const mpz_class& prime, const mpz_class& other, const mpz_class& base,
                       std::size_t exponent_bits)
    : ring_(prime), blinding_(ring_, secret_limbs(ring_, base).data(), exponent_bits) {
  const std::size_t k = ring_.half();
  const mpz_class squared = prime * prime, r = mpz_class(1) << (64 * k);
  const mpz_class start = inverse_of(other * other, squared);
  start_ = limbs_of(start % prime, k);
  const auto second = limbs_of(start / prime, k);
  start_.insert(start_.end(), second.begin(), second.end());
  message_ = limbs_of(other * r % prime * r % prime, k);
  exponent_ = limbs_of(prime - 1, k);
  decrypt_ = limbs_of((prime - start % prime) * r % prime, k);
}

void PrimeShare::encode(Limb* log, const Plaintexts& plaintexts, std::size_t i) const {
  const std::size_t k = ring_.half(), width = plaintexts.limbs();
  StackLimbs<2 * kMaxLimbs> residue;
  std::copy_n(plaintexts.magnitude(i), width, static_cast<Limb*>(residue));
  if (width >= k) {
    const auto size = static_cast<mp_size_t>(width), divisor = static_cast<mp_size_t>(k);
    Limbs scratch(static_cast<std::size_t>(mpn_sec_div_r_itch(size, divisor)));
    mpn_sec_div_r(residue, size, ring_.n(), divisor, scratch.data());
  }
  ring_.multiply_mod_n(residue, residue, message_.data());
  StackLimbs<kMaxLimbs> negated;
  mpn_sub_n(negated, ring_.n(), residue, static_cast<mp_size_t>(k));
  const Limb mask = 0 - plaintexts.negative(i);
  for (std::size_t j = 0; j < k; ++j) log[j] = (negated[j] & mask) | (residue[j] & ~mask);
}

void PrimeShare::encrypt(std::span<Limb> shares, const Plaintexts& plaintexts, std::size_t first,
                         std::span<const Limb> exponents) const {
  const std::size_t width = ring_.limbs(), k = ring_.half(), count = shares.size() / width;
  Limbs products(count * width), logs(count * k);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(start_.data(), width, &products[i * width]);
    encode(&logs[i * k], plaintexts, first + i);
  }
  blinding_.multiply_powers(products, logs, exponents);
  for (std::size_t i = 0; i < count; ++i) ring_.join(&shares[i * width], &products[i * width]);
}

void PrimeShare::decrypt(Limb* share, const Limb* ciphertext) const {
  const std::size_t k = ring_.half();
  const auto size = static_cast<mp_size_t>(4 * k), divisor = static_cast<mp_size_t>(k);
  StackLimbs<4 * kMaxLimbs> rest;
  StackLimbs<3 * kMaxLimbs + 1> quotient;
  StackLimbs<2 * kMaxLimbs> pair;
  Limbs scratch(static_cast<std::size_t>(mpn_sec_div_qr_itch(size, divisor)));
  std::copy_n(ciphertext, 4 * k, static_cast<Limb*>(rest));
  quotient[3 * k] = mpn_sec_div_qr(quotient, rest, size, ring_.n(), divisor, scratch.data());
  mpn_sec_div_r(quotient, size - divisor + 1, ring_.n(), divisor, scratch.data());
  std::copy_n(static_cast<Limb*>(rest), k, static_cast<Limb*>(pair));
  std::copy_n(static_cast<Limb*>(quotient), k, pair + k);
  ring_.enter(pair, pair);
  ring_.power_secret(pair, pair, exponent_);
  ring_.leave(pair, pair);
  // c^(p-1) = 1 + p*s with s = -q*m mod p.
  ring_.multiply_mod_n(share, pair + k, decrypt_.data());
}

KeyOwner::KeyOwner(const SecretKey& key, ThreadPool& pool, Blinding blinding)
    : KeyOwner(key, pool, draw_blinding_base(key.public_key),
               blinding_bits(key.public_key.bits(), blinding)) {}

KeyOwner::KeyOwner(const SecretKey& key, ThreadPool& pool, const mpz_class& base, std::size_t bits)
    : key_(key.public_key),
      pool_(pool),
      p_(key.p, key.q, base, bits),
      q_(key.q, key.p, base, bits) {}

CipherMessage KeyOwner::encrypt(const Plaintexts& plaintexts) const {
  check(plaintexts, key_);
  CipherMessage out(key_, plaintexts.size());
  for_blocks(pool_, plaintexts.size(), FixedBase::kBlock, [&](std::size_t first, std::size_t last) {
    encrypt_block(out, plaintexts, first, last);
  });
  return out;
}

void KeyOwner::encrypt_block(CipherMessage& out, const Plaintexts& plaintexts, std::size_t first,
                             std::size_t last) const {
  const std::size_t count = last - first, width = p_.ring().limbs();
  Limbs exponents(count * p_.blinding().exponent_limbs());
  fill_random(exponents);
  Limbs p_shares(count * width), q_shares(count * width);
  p_.encrypt(p_shares, plaintexts, first, exponents);
  q_.encrypt(q_shares, plaintexts, first, exponents);
  for (std::size_t i = 0; i < count; ++i)
    combine(out[first + i], &p_shares[i * width], q_.ring().n_squared(), &q_shares[i * width],
            p_.ring().n_squared(), key_.ring().n_squared(), width);
}

Plaintexts KeyOwner::decrypt(const CipherMessage& message) const {
  check(message, key_, pool_);
  Plaintexts out(message.size(), key_.ring().half());
  pool_.run(message.size(), [&](std::size_t i, int) { decrypt_one(out, i, message[i]); });
  return out;
}

void KeyOwner::decrypt_one(Plaintexts& out, std::size_t i, const Limb* ciphertext) const {
  const std::size_t k = p_.ring().half();
  StackLimbs<kMaxLimbs> p_share, q_share, negated, difference;
  p_.decrypt(p_share, ciphertext);
  q_.decrypt(q_share, ciphertext);
  Limb* value = out.magnitude(i);
  combine(value, p_share, q_.ring().n(), q_share, p_.ring().n(), key_.ring().n(), k);
  const auto size = static_cast<mp_size_t>(2 * k);
  mpn_sub_n(negated, key_.ring().n(), value, size);
  // Above n/2 it stands for value - n. The borrow tells which is less; both ways cost the same.
  const Limb negative = mpn_sub_n(difference, negated, value, size);
  mpn_cnd_swap(negative, value, negated, size);
  out.set_negative(i, negative != 0);
}

}  // namespace maskbench::paillier
