#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "baselines/paillier/fixed_base.hpp"
#include "baselines/paillier/keys.hpp"
#include "baselines/paillier/message.hpp"
#include "baselines/paillier/secret.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::paillier {

// One prime's share of the key owner's work: everything modulo prime^2.
class PrimeShare {
 public:
  PrimeShare(const mpz_class& prime, const mpz_class& other, const mpz_class& base,
             std::size_t exponent_bits);

  const SquareRing& ring() const { return ring_; }
  const FixedBase& blinding() const { return blinding_; }

  // share[i] = (1 + n*m[i]) * base^r[i] / other^2 mod prime^2, as numbers of 2k limbs.
  void encrypt(std::span<Limb> shares, const Plaintexts& plaintexts, std::size_t first,
               std::span<const Limb> exponents) const;
  // share = m / other mod prime, k limbs, of a ciphertext of 4k limbs.
  void decrypt(Limb* share, const Limb* ciphertext) const;

 private:
  void encode(Limb* log, const Plaintexts& plaintexts, std::size_t i) const;

  SquareRing ring_;
  FixedBase blinding_;
  Limbs start_;     // 1/other^2 mod prime^2, a plain pair
  Limbs message_;   // other * R^2 mod prime: takes m to the log of 1 + n*m
  Limbs exponent_;  // prime - 1
  Limbs decrypt_;   // -R/other^2 mod prime
};

// Who knows p and q: encrypts and decrypts by CRT, in constant time for keys, messages and r (but
// for the key's making, here and in SecretKey: primes, inverses and tables take what they take).
class KeyOwner {
 public:
  KeyOwner(const SecretKey& key, ThreadPool& pool, Blinding blinding = Blinding::half_modulus);

  const PublicKey& public_key() const { return key_; }
  // Fresh randomness of the system for every ciphertext; the result can leave at once.
  CipherMessage encrypt(const Plaintexts& plaintexts) const;
  // Checks the message first.
  Plaintexts decrypt(const CipherMessage& message) const;

 private:
  KeyOwner(const SecretKey& key, ThreadPool& pool, const mpz_class& base, std::size_t bits);
  void encrypt_block(CipherMessage& out, const Plaintexts& plaintexts, std::size_t first,
                     std::size_t last) const;
  void decrypt_one(Plaintexts& out, std::size_t i, const Limb* ciphertext) const;

  PublicKey key_;
  ThreadPool& pool_;
  PrimeShare p_, q_;
};

}  // namespace maskbench::paillier
