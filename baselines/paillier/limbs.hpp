#pragma once

#include <gmp.h>

#include <cstddef>

namespace maskbench::paillier {

using Limb = mp_limb_t;
static_assert(sizeof(Limb) == 8 && GMP_NAIL_BITS == 0, "64-bit limbs are assumed");

// Moduli of up to 4096 bits: temporaries live on the stack.
constexpr std::size_t kMaxLimbs = 64;

// All functions here run in a time that depends on k alone: they touch secrets.

// r[0..2k) = a * b, r apart from a and b.
void multiply(Limb* r, const Limb* a, const Limb* b, std::size_t k);

// Montgomery: finds q with t + q*n = 0 mod 2^(64k), leaves (t + q*n) / 2^(64k) in t[k..2k) and
// returns its top carry. inverse = -1/n mod 2^64.
Limb reduce(Limb* t, Limb* q, const Limb* n, Limb inverse, std::size_t k);

// (high, r) -= n if it is not less than n; returns whether it did. k up to 2 * kMaxLimbs.
Limb subtract_if_not_less(Limb& high, Limb* r, const Limb* n, std::size_t k);

// r = rows[index], reading every row; a row has `limbs` limbs, a multiple of 8.
void select_row(Limb* r, const Limb* rows, std::size_t limbs, std::size_t count, std::size_t index);

// "mulx" (this processor's mulx/adcx/adox) or "gmp" (everywhere else).
const char* limb_backend();

}  // namespace maskbench::paillier
