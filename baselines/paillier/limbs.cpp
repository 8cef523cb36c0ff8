#include "baselines/paillier/limbs.hpp"

#include <algorithm>
#include <cstring>

namespace maskbench::paillier {
namespace {

#if defined(__x86_64__)
bool detect_mulx() {
  __builtin_cpu_init();
  unsigned a = 7, b = 0, c = 0, d = 0;
  asm("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return __builtin_cpu_supports("bmi2") && (b >> 19 & 1) != 0;  // CPUID.7.EBX[19]: ADX
}
const bool kMulx = detect_mulx();
const bool kAvx2 = __builtin_cpu_supports("avx2");

// Eight limbs of r += a * x + carry. The low halves ride on the carry flag, the high halves on the
// overflow flag: 1.55 cycles a limb on Zen 3 (the limit of its ports), 2.2 with GMP 6.2.
inline Limb addmul_8(Limb* r, const Limb* a, Limb x, Limb carry) {
  Limb low, high, zero;
  // clang-format off
#define STEP(offset, previous, next)                  \
  "mulx " #offset "(%[a]), %[low], %[" #next "]\n\t"  \
  "adcx " #offset "(%[r]), %[low]\n\t"                \
  "adox %[" #previous "], %[low]\n\t"                 \
  "mov %[low], " #offset "(%[r])\n\t"
  asm("xor %k[zero], %k[zero]\n\t"  // clears both flags
      STEP(0, carry, high) STEP(8, high, carry) STEP(16, carry, high) STEP(24, high, carry)
      STEP(32, carry, high) STEP(40, high, carry) STEP(48, carry, high) STEP(56, high, carry)
      "adcx %[zero], %[carry]\n\t"
      "adox %[zero], %[carry]\n\t"
      : [low] "=&r"(low), [high] "=&r"(high), [zero] "=&r"(zero), [carry] "+&r"(carry)
      : [r] "r"(r), [a] "r"(a), "d"(x)
      : "cc", "memory");
#undef STEP
  // clang-format on
  return carry;
}
#else
constexpr bool kMulx = false, kAvx2 = false;
inline Limb addmul_8(Limb* r, const Limb* a, Limb x, Limb carry) {
  const Limb first = mpn_add_1(r, r, 8, carry);
  return first + mpn_addmul_1(r, a, 8, x);
}
#endif

inline bool use_mulx(std::size_t k) {
  return kMulx && k % 8 == 0;
}

inline Limb addmul_row(Limb* r, const Limb* a, std::size_t k, Limb x) {
  Limb carry = 0;
  for (std::size_t i = 0; i < k; i += 8) carry = addmul_8(r + i, a + i, x, carry);
  return carry;
}

using Vector16 = Limb __attribute__((vector_size(16)));
using Vector32 = Limb __attribute__((vector_size(32)));

template <class Vector, std::size_t kVectors>
[[gnu::always_inline]] inline void select_block(Limb* r, const Limb* rows, std::size_t limbs,
                                                std::size_t count, std::size_t index) {
  constexpr std::size_t kStep = sizeof(Vector) / sizeof(Limb);
  Vector chosen[kVectors] = {}, number = {};
  for (std::size_t row = 0; row < count; ++row, number += 1) {
    const Vector mask = reinterpret_cast<Vector>(number == index);
    for (std::size_t v = 0; v < kVectors; ++v) {
      Vector entry;
      std::memcpy(&entry, rows + row * limbs + v * kStep, sizeof entry);
      chosen[v] |= entry & mask;
    }
  }
  std::memcpy(r, chosen, sizeof chosen);
}

template <class Vector>
[[gnu::always_inline]] inline void select_blocks(Limb* r, const Limb* rows, std::size_t limbs,
                                                 std::size_t count, std::size_t index) {
  constexpr std::size_t kEight = 8 * sizeof(Limb) / sizeof(Vector);
  std::size_t block = 0;
  for (; block + 32 <= limbs; block += 32)
    select_block<Vector, 4 * kEight>(r + block, rows + block, limbs, count, index);
  for (; block < limbs; block += 8)
    select_block<Vector, kEight>(r + block, rows + block, limbs, count, index);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void select_row_avx2(Limb* r, const Limb* rows, std::size_t limbs,
                                             std::size_t count, std::size_t index) {
  select_blocks<Vector32>(r, rows, limbs, count, index);
}
#else
void select_row_avx2(Limb*, const Limb*, std::size_t, std::size_t, std::size_t) {}
#endif

}  // namespace

void multiply(Limb* r, const Limb* a, const Limb* b, std::size_t k) {
  if (use_mulx(k)) {
    std::fill_n(r, k, Limb{0});
    for (std::size_t i = 0; i < k; ++i) r[i + k] = addmul_row(r + i, a, k, b[i]);
  } else {
    const auto size = static_cast<mp_size_t>(k);
    Limb scratch[8 * kMaxLimbs];  // more than mpn_sec_mul_itch, see the tests
    mpn_sec_mul(r, a, size, b, size, scratch);
  }
}

Limb reduce(Limb* t, Limb* q, const Limb* n, Limb inverse, std::size_t k) {
  const auto size = static_cast<mp_size_t>(k);
  Limb carries[kMaxLimbs];
  const bool fast = use_mulx(k);
  for (std::size_t i = 0; i < k; ++i) {
    q[i] = t[i] * inverse;
    carries[i] = fast ? addmul_row(t + i, n, k, q[i]) : mpn_addmul_1(t + i, n, size, q[i]);
  }
  return mpn_add_n(t + k, t + k, carries, size);
}

Limb subtract_if_not_less(Limb& high, Limb* r, const Limb* n, std::size_t k) {
  Limb difference[2 * kMaxLimbs];
  const auto size = static_cast<mp_size_t>(k);
  const Limb borrow = mpn_sub_n(difference, r, n, size);
  const Limb subtract = 1 - static_cast<Limb>(high < borrow);
  mpn_cnd_sub_n(subtract, r, r, n, size);
  high -= borrow & subtract;
  return subtract;
}

void select_row(Limb* r, const Limb* rows, std::size_t limbs, std::size_t count,
                std::size_t index) {
  if (kAvx2) {
    select_row_avx2(r, rows, limbs, count, index);
  } else {
    select_blocks<Vector16>(r, rows, limbs, count, index);
  }
}

const char* limb_backend() {
  return kMulx ? "mulx" : "gmp";
}

}  // namespace maskbench::paillier
