#include "baselines/paillier/keys.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <vector>

#include "baselines/paillier/entropy.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

constexpr int kPrimalityRounds = 40;

void check_size(std::size_t bits, KeySize size) {
  const bool usual = bits == 1024 || bits == 2048 || bits == 3072 || bits == 4096;
  const bool small =
      size == KeySize::any_for_tests && bits >= 256 && bits <= 4096 && bits % 128 == 0;
  if (!usual && !small)
    throw Error(fmt::format(
        "paillier: a key of {} bits is not supported; use 2048, 3072 or 4096 (1024 only to compare)",
        bits));
}

std::size_t bits_of(const mpz_class& value) {
  return mpz_sizeinbase(value.get_mpz_t(), 2);
}

mpz_class checked_modulus(const mpz_class& n, KeySize size) {
  check_size(bits_of(n), size);
  if (mpz_even_p(n.get_mpz_t()) || n < 0) throw Error("paillier: a public modulus must be odd");
  return n;
}

std::uint64_t hash_id(const mpz_class& n) {
  std::vector<unsigned char> bytes((bits_of(n) + 7) / 8);
  mpz_export(bytes.data(), nullptr, 1, 1, 1, 0, n.get_mpz_t());
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(bytes.data(), bytes.size(), digest);
  std::uint64_t id = 0;
  for (int i = 0; i < 8; ++i) id = id << 8 | digest[i];
  return id;
}

bool is_prime(const mpz_class& value) {
  return mpz_probab_prime_p(value.get_mpz_t(), kPrimalityRounds) != 0;
}

// A prime of exactly `bits` bits, its two top bits set (so that p*q has exactly 2*bits), 3 mod 4.
mpz_class draw_prime(std::size_t bits) {
  for (;;) {
    mpz_class candidate = random_bits(bits);
    mpz_setbit(candidate.get_mpz_t(), bits - 1);
    mpz_setbit(candidate.get_mpz_t(), bits - 2);
    mpz_setbit(candidate.get_mpz_t(), 1);
    mpz_setbit(candidate.get_mpz_t(), 0);
    if (is_prime(candidate)) return candidate;
  }
}

bool suits_djn(const mpz_class& p, const mpz_class& q) {
  const mpz_class p1 = p - 1, q1 = q - 1;
  return p != q && p % 4 == 3 && q % 4 == 3 && gcd(p1, q1) == 2 && gcd(p * q, p1 * q1) == 1;
}

}  // namespace

std::size_t blinding_bits(std::size_t key_bits, Blinding blinding) {
  if (blinding == Blinding::half_modulus) return key_bits / 2;
  const std::size_t lambda = key_bits >= 3072 ? 128 : key_bits >= 2048 ? 112 : 80;
  return 4 * lambda;
}

PublicKey::PublicKey(const mpz_class& n, KeySize size)
    : ring_(std::make_shared<SquareRing>(checked_modulus(n, size))), id_(hash_id(n)) {}

std::string PublicKey::warning() const {
  if (bits() >= 2048) return {};
  return fmt::format("paillier key of {} bits: under 2048 it does not protect, only compares",
                     bits());
}

mpz_class draw_blinding_base(const PublicKey& key) {
  const mpz_class& n = key.n();
  mpz_class x;
  do x = random_below(n);
  while (gcd(x, n) != 1);
  const mpz_class h = n - x * x % n, squared = n * n;
  mpz_class base;
  mpz_powm(base.get_mpz_t(), h.get_mpz_t(), n.get_mpz_t(), squared.get_mpz_t());
  return base;
}

SecretKey::SecretKey(const mpz_class& first, const mpz_class& second, KeySize size)
    : p(first), q(second), public_key(first * second, size) {
  wipe_what_gmp_frees();
  if (bits_of(p) != bits_of(q) || !is_prime(p) || !is_prime(q))
    throw Error("paillier: p and q must be primes of the same length");
  if (!suits_djn(p, q))
    throw Error("paillier: p and q must be 3 mod 4 with gcd(p-1, q-1) = 2 (Damgard-Jurik-Nielsen)");
}

SecretKey SecretKey::generate(std::size_t bits, KeySize size) {
  check_size(bits, size);
  for (;;) {
    const mpz_class p = draw_prime(bits / 2), q = draw_prime(bits / 2);
    if (suits_djn(p, q)) return SecretKey(p, q, size);
  }
}

}  // namespace maskbench::paillier
