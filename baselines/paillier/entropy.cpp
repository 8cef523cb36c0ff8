#include "baselines/paillier/entropy.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "baselines/paillier/square_ring.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {

void fill_random(std::span<Limb> limbs) {
  auto bytes = std::as_writable_bytes(limbs);
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(std::string("paillier: getrandom failed (") + std::strerror(errno) +
                  "); no ciphertext can be made without the system's randomness");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

mpz_class random_bits(std::size_t bits) {
  wipe_what_gmp_frees();
  Limbs limbs((bits + 63) / 64);
  fill_random(limbs);
  mpz_class value = read_limbs(limbs.data(), limbs.size());
  mpz_fdiv_r_2exp(value.get_mpz_t(), value.get_mpz_t(), bits);
  return value;
}

mpz_class random_below(const mpz_class& bound) {
  const std::size_t bits = mpz_sizeinbase(bound.get_mpz_t(), 2);
  for (;;) {
    mpz_class value = random_bits(bits);
    if (value < bound) return value;
  }
}

}  // namespace maskbench::paillier
