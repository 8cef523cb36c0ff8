#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "baselines/paillier/square_ring.hpp"

namespace maskbench::paillier {

// Sizes for use are 1024, 2048, 3072 and 4096 bits; tests may ask for others (multiples of 128).
enum class KeySize { standard, any_for_tests };

// How long the secret exponent r of the blinding h_s^r is. h = -x^2 mod n, h_s = h^n mod n^2.
//   half_modulus: |n|/2 bits, as Damgard, Jurik and Nielsen (2010, section 4.2) and HEU's
//   ZPaillier.
//     By Goldreich and Rosen (J. Cryptology 2003) h^r is then indistinguishable from a full-length
//     power if factoring is hard, so nothing beyond Paillier's own assumption (DCR) is needed.
//   four_lambda: 4 times the security level of n (NIST SP 800-57: 80, 112, 128 bits), the
//   length
//     Ma et al. (ACSAC 2021) use in a subgroup. It needs one assumption more: that powers with
//     short exponents look like any others (the generic attacks cost 2^(2 lambda)).
enum class Blinding { half_modulus, four_lambda };

std::size_t blinding_bits(std::size_t key_bits, Blinding blinding);

class PublicKey {
 public:
  explicit PublicKey(const mpz_class& n, KeySize size = KeySize::standard);

  const mpz_class& n() const { return ring_->modulus(); }
  std::size_t bits() const { return 64 * ring_->half(); }
  std::uint64_t id() const { return id_; }  // the first 8 bytes of SHA-256(n)
  std::size_t ciphertext_limbs() const { return ring_->limbs(); }
  std::size_t ciphertext_bytes() const { return ring_->limbs() * sizeof(Limb); }
  const SquareRing& ring() const { return *ring_; }
  // For the results row: empty from 2048 bits on.
  std::string warning() const;

 private:
  std::shared_ptr<const SquareRing> ring_;
  std::uint64_t id_;
};

// h_s for a fresh x: anyone who knows n can draw a base of his own.
mpz_class draw_blinding_base(const PublicKey& key);

// n = p*q, p = q = 3 mod 4, gcd(p-1, q-1) = 2, as DJN ask for.
struct SecretKey {
  SecretKey(const mpz_class& first, const mpz_class& second, KeySize size = KeySize::standard);
  static SecretKey generate(std::size_t bits = 2048, KeySize size = KeySize::standard);

  mpz_class p, q;
  PublicKey public_key;
};

}  // namespace maskbench::paillier
