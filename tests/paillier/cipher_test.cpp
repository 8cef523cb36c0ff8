#include <set>

#include "fixture.hpp"

namespace maskbench::paillier {
namespace {

TEST(Cipher, round_trips_at_every_size_and_blinding) {
  for (const std::size_t bits : {256u, 512u, 640u, 1024u})
    for (const Blinding blinding : {Blinding::half_modulus, Blinding::four_lambda}) {
      const Parties parties(bits, blinding);
      std::vector<mpz_class> values = seeded_values(35, bits - 2, 1);
      const mpz_class largest = (parties.n() - 1) / 2;
      values.insert(values.end(),
                    {0, 1, -1, largest, -largest, parties.secret.p, -parties.secret.q});
      EXPECT_EQ(parties.decrypt(parties.encrypt(values)), values) << bits;
      const auto foreign = parties.evaluator.send(parties.evaluator.embed(Plaintexts(values)));
      EXPECT_EQ(parties.decrypt(foreign), values) << bits << ", with n alone";
    }
}

TEST(Cipher, round_trips_at_2048_bits) {
  ThreadPool pool(2);
  const SecretKey secret = SecretKey::generate();
  const KeyOwner owner(secret, pool);
  const auto values = seeded_values(20, 2046, 2);
  const Plaintexts plain = owner.decrypt(owner.encrypt(Plaintexts(values)));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(plain[i], values[i]);
}

TEST(Cipher, equals_the_definition) {
  // c = (1 + n*m) * r^n mod n^2, and c^lambda mod n^2 = 1 + n*lambda*m.
  const Parties& parties = Parties::small();
  const mpz_class n = parties.n(), squared = n * n;
  const mpz_class lambda = lcm(mpz_class(parties.secret.p - 1), mpz_class(parties.secret.q - 1));
  const auto values = seeded_values(10, 100, 3);
  const CipherMessage message = parties.encrypt(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const mpz_class c = read_limbs(message[i], parties.key().ciphertext_limbs());
    mpz_class power, expected = (1 + n * lambda * values[i]) % squared;
    mpz_powm(power.get_mpz_t(), c.get_mpz_t(), lambda.get_mpz_t(), squared.get_mpz_t());
    if (expected < 0) expected += squared;
    EXPECT_EQ(power, expected);
  }
}

TEST(Cipher, sums_differences_and_multiples_match_integers) {
  const Parties& parties = Parties::small();
  const Evaluator& evaluator = parties.evaluator;
  const auto a = seeded_values(150, 200, 4), b = seeded_values(150, 180, 5);
  const Ciphertexts x = evaluator.receive(parties.encrypt(a));
  const Ciphertexts y = evaluator.receive(parties.encrypt(b));
  Ciphertexts sum = x;
  evaluator.add(sum, y);
  const auto sums = parties.decrypt(evaluator.send(sum));
  const auto differences = parties.decrypt(evaluator.send(evaluator.subtract(x, y)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sums[i], a[i] + b[i]);
    EXPECT_EQ(differences[i], a[i] - b[i]);
  }
  for (const long factor : {0L, 1L, -1L, 2L, -3L, 1000003L, -(1L << 62)}) {
    const auto multiples = parties.decrypt(evaluator.send(evaluator.scale(x, factor)));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(multiples[i], a[i] * factor);
  }
}

TEST(Cipher, sums_wrap_at_half_of_n) {
  const Parties& parties = Parties::small();
  const mpz_class largest = (parties.n() - 1) / 2;
  Ciphertexts sum = parties.evaluator.receive(parties.encrypt({largest}));
  parties.evaluator.add(sum, parties.evaluator.receive(parties.encrypt({1})));
  EXPECT_EQ(parties.decrypt(parties.evaluator.send(sum))[0], -largest);
}

TEST(Cipher, every_ciphertext_is_fresh) {
  const Parties& parties = Parties::small();
  const std::vector<mpz_class> same(60, 42);
  std::set<mpz_class> seen;
  const auto collect = [&](const CipherMessage& message) {
    for (std::size_t i = 0; i < message.size(); ++i)
      seen.insert(read_limbs(message[i], parties.key().ciphertext_limbs()));
  };
  const CipherMessage first = parties.encrypt(same);
  collect(first);
  collect(parties.encrypt(same));
  const Ciphertexts received = parties.evaluator.receive(first);
  collect(parties.evaluator.send(received));
  collect(parties.evaluator.send(received));
  collect(parties.evaluator.send(parties.evaluator.zeros(60)));
  EXPECT_EQ(seen.size(), 300u);
}

TEST(Cipher, threads_do_not_change_what_is_decrypted) {
  const Parties& parties = Parties::small();
  const auto values = seeded_values(500, 300, 6);
  const CipherMessage message = parties.encrypt(values);
  ThreadPool one(1), four(4);
  const KeyOwner alone(parties.secret, one), team(parties.secret, four);
  const Plaintexts a = alone.decrypt(message), b = team.decrypt(message);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(a[i], values[i]);
    EXPECT_EQ(b[i], values[i]);
  }
}

TEST(Cipher, a_plaintext_outside_half_of_n_is_refused) {
  const Parties& parties = Parties::small();
  const mpz_class beyond = (parties.n() + 1) / 2;
  for (const mpz_class& value : {beyond, mpz_class(-beyond), mpz_class(parties.n() << 70)}) {
    const std::vector<mpz_class> values{1, value};
    EXPECT_NE(error_of([&] { parties.encrypt(values); }).find("plaintext"), std::string::npos);
    EXPECT_THROW(parties.evaluator.embed(Plaintexts(values)), Error);
  }
}

}  // namespace
}  // namespace maskbench::paillier
