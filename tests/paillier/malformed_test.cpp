#include "fixture.hpp"

namespace maskbench::paillier {
namespace {

// A message of good ciphertexts with one replaced.
CipherMessage with_bad(const Parties& parties, const mpz_class& bad, std::size_t where) {
  CipherMessage message = parties.encrypt(seeded_values(700, 50, 8));
  write_limbs(message[where], parties.key().ciphertext_limbs(), bad);
  return message;
}

void expect_refused(const Parties& parties, const CipherMessage& message, const std::string& why) {
  const std::string by_evaluator = error_of([&] { parties.evaluator.receive(message); });
  const std::string by_owner = error_of([&] { parties.owner.decrypt(message); });
  EXPECT_NE(by_evaluator.find(why), std::string::npos) << by_evaluator;
  EXPECT_EQ(by_owner, by_evaluator);
  EXPECT_EQ(by_owner.find('\n'), std::string::npos);
}

TEST(Malformed, numbers_outside_the_range_are_refused) {
  const Parties& parties = Parties::small();
  const mpz_class n = parties.n(), top = (mpz_class(1) << (2 * parties.key().bits())) - 1;
  for (const mpz_class& bad : {mpz_class(0), mpz_class(n * n), mpz_class(n * n + 1), top})
    for (const std::size_t where : {0u, 511u, 512u, 699u})
      expect_refused(parties, with_bad(parties, bad, where),
                     "ciphertext " + std::to_string(where) + " is not in 1..n^2-1");
}

TEST(Malformed, one_number_with_a_factor_of_n_is_refused) {
  const Parties& parties = Parties::small();
  const mpz_class n = parties.n(), p = parties.secret.p, q = parties.secret.q;
  for (const mpz_class& bad : {n, mpz_class(2 * n), mpz_class(p), mpz_class(7 * q),
                               mpz_class(p * p), mpz_class(n * n - p), mpz_class(n * n - n)})
    for (const std::size_t where : {0u, 600u})
      expect_refused(parties, with_bad(parties, bad, where),
                     "ciphertext " + std::to_string(where) + " shares a factor with n");
}

TEST(Malformed, another_keys_messages_are_refused) {
  const Parties& parties = Parties::small();
  const Parties other(512);
  expect_refused(parties, other.encrypt({1, 2}), "a message of key");
  const Ciphertexts foreign = other.evaluator.receive(other.encrypt({1}));
  Ciphertexts own = parties.evaluator.receive(parties.encrypt({1}));
  EXPECT_THROW(parties.evaluator.add(own, foreign), Error);
  EXPECT_THROW(parties.evaluator.add(own = foreign, foreign), Error);
  EXPECT_THROW(parties.evaluator.subtract(own, foreign), Error);
  EXPECT_THROW(parties.evaluator.scale(foreign, 2), Error);
  EXPECT_THROW(parties.evaluator.send(foreign), Error);
  EXPECT_THROW(parties.evaluator.pack(foreign, Layout(parties.key(), 10)), Error);
}

TEST(Malformed, messages_of_another_length_are_refused) {
  const Parties& parties = Parties::small();
  std::vector<Limb> words = parties.encrypt({1, 2}).words();
  EXPECT_NO_THROW(parties.evaluator.receive(CipherMessage(parties.key(), words)));
  words.pop_back();
  EXPECT_THROW(CipherMessage(parties.key(), words), Error);
  EXPECT_THROW(CipherMessage(parties.key(), std::vector<Limb>{}), Error);
  Ciphertexts two = parties.evaluator.zeros(2);
  EXPECT_THROW(parties.evaluator.add(two, parties.evaluator.zeros(3)), Error);
}

TEST(Keys, sizes_and_primes_are_checked) {
  EXPECT_THROW(SecretKey::generate(512), Error);
  EXPECT_THROW(SecretKey::generate(2000), Error);
  EXPECT_THROW(SecretKey::generate(8192, KeySize::any_for_tests), Error);
  const SecretKey& secret = Parties::small().secret;
  const auto build = [](const mpz_class& p, const mpz_class& q) {
    return SecretKey(p, q, KeySize::any_for_tests);
  };
  EXPECT_NO_THROW(build(secret.p, secret.q));
  EXPECT_THROW(build(secret.p, secret.p), Error);
  mpz_class composite = secret.q + 4;  // by chance it is a prime itself
  while (mpz_probab_prime_p(composite.get_mpz_t(), 30) != 0) composite += 4;
  EXPECT_THROW(build(secret.p, composite), Error);
  EXPECT_THROW(PublicKey(secret.public_key.n() + 1, KeySize::any_for_tests), Error);
}

TEST(Keys, have_the_shape_that_the_blinding_needs) {
  for (int i = 0; i < 5; ++i) {
    const SecretKey key = SecretKey::generate(512, KeySize::any_for_tests);
    EXPECT_EQ(key.public_key.bits(), 512u);
    EXPECT_EQ(key.public_key.n(), key.p * key.q);
    EXPECT_EQ(key.p % 4, 3);
    EXPECT_EQ(key.q % 4, 3);
    EXPECT_EQ(gcd(mpz_class(key.p - 1), mpz_class(key.q - 1)), 2);
  }
  EXPECT_EQ(blinding_bits(2048, Blinding::half_modulus), 1024u);
  EXPECT_EQ(blinding_bits(2048, Blinding::four_lambda), 448u);
  EXPECT_EQ(blinding_bits(3072, Blinding::four_lambda), 512u);
}

TEST(Keys, short_ones_warn_and_ids_follow_the_modulus) {
  const SecretKey small = SecretKey::generate(1024), usual = SecretKey::generate(2048);
  EXPECT_NE(small.public_key.warning().find("1024"), std::string::npos);
  EXPECT_EQ(usual.public_key.warning(), "");
  EXPECT_EQ(PublicKey(small.public_key.n()).id(), small.public_key.id());
  EXPECT_NE(usual.public_key.id(), small.public_key.id());
}

}  // namespace
}  // namespace maskbench::paillier
