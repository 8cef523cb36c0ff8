#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <span>

#include "baselines/paillier/limbs.hpp"

namespace maskbench::paillier {

// From the operating system (getrandom), never from a seed: these numbers protect somebody.
void fill_random(std::span<Limb> limbs);
mpz_class random_bits(std::size_t bits);
mpz_class random_below(const mpz_class& bound);

}  // namespace maskbench::paillier
