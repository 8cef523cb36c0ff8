// Does a private-key operation take a time that tells its secret? After dudect (Reparaz, Balasch
// and Verbauwhede 2017): two classes of inputs in random order, Welch's t of their times after the
// slow ones are cut off. |t| over 4.5 is a leak. Each operation stands beside a leaky one of our
// own, so that a small t is not the silence of a deaf test. paillier_timing [MEASUREMENTS]
// ends with 1 if one of ours leaks or a leaky one is not seen.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>

#include "baselines/paillier/key_owner.hpp"
#include "baselines/paillier/packing.hpp"

namespace maskbench::paillier {
namespace {

using Operation = std::function<void(int input_class, std::size_t index)>;

struct Moments {
  double count = 0, mean = 0, squares = 0;
  void add(double x) {
    const double before = x - mean;
    mean += before / ++count;
    squares += before * (x - mean);
  }
  double error_squared() const { return squares / (count - 1) / count; }
};

// The largest |t| over several cuts: a leak may lie in the common times or in their tail.
double largest_t(const Operation& operation, std::size_t measurements) {
  std::mt19937_64 random(1);
  std::vector<std::pair<double, int>> times;
  for (std::size_t i = 0; i < measurements; ++i) {
    const int input_class = static_cast<int>(random() & 1);
    const std::size_t index = random() % 64;
    const auto begin = std::chrono::steady_clock::now();
    operation(input_class, index);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    times.emplace_back(took.count(), input_class);
  }
  std::vector<double> sorted;
  for (const auto& [time, input_class] : times) sorted.push_back(time);
  std::sort(sorted.begin(), sorted.end());
  double largest = 0;
  for (const double share : {0.5, 0.8, 0.95}) {
    const double cut = sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))];
    Moments classes[2];
    for (const auto& [time, input_class] : times)
      if (time <= cut) classes[input_class].add(time);
    const double error = std::sqrt(classes[0].error_squared() + classes[1].error_squared());
    largest = std::max(largest, std::abs(classes[0].mean - classes[1].mean) / error);
  }
  return largest;
}

// Class 0: one plaintext; class 1: random ones of either sign and any size.
struct Inputs {
  explicit Inputs(const KeyOwner& owner) {
    gmp_randclass random(gmp_randinit_mt);
    random.seed(7);
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t bits = 1 + i * 900 / 64;
      const mpz_class any = mpz_class(random.get_z_bits(bits)) * (i % 2 == 0 ? 1 : -1);
      plain[0].push_back({mpz_class(1)});
      plain[1].push_back({any});
      for (int c : {0, 1}) messages[c].push_back(owner.encrypt(Plaintexts(plain[c].back())));
    }
  }
  std::vector<std::vector<mpz_class>> plain[2];
  std::vector<CipherMessage> messages[2];
};

// What the text books say: m by mpz, branches and lengths that follow the secret.
long leaky_decode(const mpz_class& m) {
  long sum = 0;
  for (mpz_class rest = abs(m); rest > 0; rest >>= 16) sum += mpz_get_ui(rest.get_mpz_t()) & 0xffff;
  return m < 0 ? -sum : sum;
}

int main_of(std::size_t measurements) {
  ThreadPool pool(1);
  const SecretKey key = SecretKey::generate(1024);
  const KeyOwner owner(key, pool);
  const Inputs inputs(owner);
  const Layout layout(key.public_key, 1000);
  std::vector<Plaintexts> decrypted[2];
  std::vector<Plaintexts> clear[2];
  for (int c : {0, 1})
    for (std::size_t i = 0; i < 64; ++i) {
      decrypted[c].push_back(owner.decrypt(inputs.messages[c][i]));
      Plaintexts wide(1, 16);
      std::copy_n(decrypted[c].back().magnitude(0), 16, wide.magnitude(0));
      wide.set_negative(0, decrypted[c].back().negative(0) != 0);
      clear[c].push_back(std::move(wide));
    }
  volatile long sink = 0;
  int wrong = 0;
  const auto show = [&](const char* name, std::size_t count, const Operation& operation) {
    const double t = largest_t(operation, count);
    const bool leaks = t > 4.5, meant = std::string_view(name).ends_with("on purpose)");
    wrong += leaks != meant;
    fmt::print("{:<44}{:>8} measurements  |t| {:8.2f}  {}\n", name, count, t,
               leaks ? "LEAKS" : "no leak seen");
  };
  show("decrypt", measurements,
       [&](int c, std::size_t i) { owner.decrypt(inputs.messages[c][i]); });
  show("decrypt, then read it by mpz (leaky on purpose)", measurements, [&](int c, std::size_t i) {
    const Plaintexts out = owner.decrypt(inputs.messages[c][i]);
    for (int repeat = 0; repeat < 200; ++repeat) sink = sink + leaky_decode(out[0]);
  });
  show("encrypt", measurements, [&](int c, std::size_t i) { owner.encrypt(clear[c][i]); });
  const std::size_t sums = layout.sums_per_ciphertext();
  show("decode", 100 * measurements,
       [&](int c, std::size_t i) { sink = sink + layout.decode(decrypted[c][i], sums)[0].g; });
  show("decode by mpz (leaky on purpose)", 100 * measurements,
       [&](int c, std::size_t i) { sink = sink + leaky_decode(decrypted[c][i][0]); });
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace maskbench::paillier

int main(int argc, char** argv) {
  const long asked = argc > 1 ? std::atol(argv[1]) : 20'000;
  return maskbench::paillier::main_of(static_cast<std::size_t>(std::max(1000L, asked)));
}
