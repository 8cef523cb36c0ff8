#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "baselines/paillier/evaluator.hpp"
#include "baselines/paillier/key_owner.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {

// Small keys keep the tests quick; nothing below depends on the key's or the blinding's randomness.
struct Parties {
  explicit Parties(std::size_t bits, Blinding blinding = Blinding::half_modulus)
      : secret(SecretKey::generate(bits, KeySize::any_for_tests)),
        pool(2),
        owner(secret, pool, blinding),
        evaluator(secret.public_key, pool, blinding) {}

  static Parties& small() {
    static Parties parties(512);
    return parties;
  }

  const PublicKey& key() const { return secret.public_key; }
  mpz_class n() const { return secret.public_key.n(); }

  CipherMessage encrypt(const std::vector<mpz_class>& values) const {
    return owner.encrypt(Plaintexts(values));
  }
  std::vector<mpz_class> decrypt(const CipherMessage& message) const {
    const Plaintexts plain = owner.decrypt(message);
    std::vector<mpz_class> values;
    for (std::size_t i = 0; i < plain.size(); ++i) values.push_back(plain[i]);
    return values;
  }

  SecretKey secret;
  ThreadPool pool;
  KeyOwner owner;
  Evaluator evaluator;
};

inline std::vector<mpz_class> seeded_values(std::size_t count, std::size_t bits, unsigned seed) {
  gmp_randclass random(gmp_randinit_mt);
  random.seed(seed);
  std::vector<mpz_class> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(mpz_class(random.get_z_bits(bits)) * (i % 2 == 0 ? 1 : -1));
  return values;
}

// The message of the Error that fn throws; empty if it throws none.
template <class Fn>
std::string error_of(const Fn& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace maskbench::paillier
