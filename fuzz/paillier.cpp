#include <cstring>

#include "baselines/paillier/evaluator.hpp"
#include "baselines/paillier/key_owner.hpp"
#include "baselines/paillier/packing.hpp"
#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"

namespace maskbench::fuzz {
namespace {

using namespace maskbench::paillier;

struct World {
  ThreadPool pool{1};
  // Always the same, so that an input means the same again.
  SecretKey key{mpz_class("259269787653722780826282640479468557639"),
                mpz_class("274165191532572750814522207135946579179"), KeySize::any_for_tests};
  KeyOwner owner{key, pool};
  Evaluator evaluator{key.public_key, pool};
  Layout layout{key.public_key, 100};
};

std::vector<Limb> words_of(std::string_view bytes) {
  std::vector<Limb> words(bytes.size() / sizeof(Limb));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Limb));
  return words;
}

void any_public_key(const World& world, const std::vector<Limb>& words) {
  mpz_class n;
  mpz_import(n.get_mpz_t(), words.size(), -1, sizeof(Limb), 0, 0, words.data());
  const PublicKey key(n, KeySize::any_for_tests);
  CipherMessage message(key, 2);
  check(message, key, const_cast<World&>(world).pool);
}

bool equal(const Plaintexts& a, const Plaintexts& b, int factor, const mpz_class& n) {
  for (size_t i = 0; i < a.size(); ++i) {
    const mpz_class difference = factor * a[i] - b[i];
    if (difference % n != 0) return false;
  }
  return a.size() == b.size();
}

// What decrypts must encrypt to the same again, and sums must hold.
void message_of(World& world, std::vector<Limb> words, unsigned char choice) {
  if ((choice & 4) && !words.empty()) words[0] = world.key.public_key.id();
  const size_t each = world.key.public_key.ciphertext_limbs();
  for (size_t i = each; (choice & 8) && i < words.size(); i += each)
    words[i] >>= (choice >> 4) * 4;  // below n^2
  const CipherMessage message(world.key.public_key, words);
  const mpz_class& n = world.key.public_key.n();
  const Plaintexts clear = world.owner.decrypt(message);
  for (size_t i = 0; i < clear.size(); ++i) must(2 * abs(clear[i]) < n);
  must(equal(clear, world.owner.decrypt(world.owner.encrypt(clear)), 1, n));
  const Ciphertexts received = world.evaluator.receive(message);
  const auto opened = [&](const Ciphertexts& c) {
    return world.owner.decrypt(world.evaluator.send(c));
  };
  must(equal(clear, opened(received), 1, n));
  must(equal(clear, opened(world.evaluator.scale(received, -3)), -3, n));
  must(equal(clear, opened(world.evaluator.subtract(received, received)), 0, n));
  world.layout.decode(clear, choice);
}

}  // namespace

void paillier(std::string_view bytes) {
  static World world;
  if (bytes.size() < 2) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  const std::vector<Limb> words = words_of(bytes.substr(1));
  try {
    if (choice % 4 == 0) return any_public_key(world, words);
    message_of(world, words, choice);
  } catch (const Error&) {
  }
}

}  // namespace maskbench::fuzz
