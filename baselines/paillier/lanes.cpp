#include "baselines/paillier/lanes.hpp"

#include <algorithm>

#include "harness/core/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/paillier/lanes.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace maskbench::paillier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<std::uint64_t, LaneModulus::kMaxLanes>;
using V = hn::Vec<D64>;
constexpr int kBits = static_cast<int>(LaneModulus::kDigitBits);

// Of the low 32 bits of each lane.
HWY_INLINE V product(V x, V y) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(D64(), (x.raw & 0xffffffff) * (y.raw & 0xffffffff));
#else
  const hn::Repartition<std::uint32_t, D64> d32;
  return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, y));
#endif
}

// r = (t + x*y) / R' mod N with quotient digits q; t has `digits` preset vectors and room for as
// many again and one. Two digits of y at a time, so that a loaded x and n serve two products each.
HWY_INLINE void montgomery(const LaneConstants& m, std::uint64_t* r, std::uint64_t* q,
                           std::uint64_t* t, const std::uint64_t* x, const std::uint64_t* y) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d), digits = m.digits;
  const V inverse = hn::Set(d, m.inverse), mask = hn::Set(d, (std::uint64_t{1} << kBits) - 1);
  const V x0 = hn::Load(d, x), x1 = hn::Load(d, x + lanes);
  const V n0 = hn::Set(d, m.n[0]), n1 = hn::Set(d, m.n[1]);
  V carry = hn::Zero(d);
  for (std::size_t i = 0; i < digits; i += 2) {
    std::uint64_t* row = t + i * lanes;
    const V y0 = hn::Load(d, y + i * lanes), y1 = hn::Load(d, y + (i + 1) * lanes);
    V sum = hn::Add(hn::Add(hn::Load(d, row), carry), product(x0, y0));
    const V q0 = hn::And(product(sum, inverse), mask);
    carry = hn::ShiftRight<kBits>(hn::Add(sum, product(n0, q0)));
    sum = hn::Add(hn::Add(hn::Load(d, row + lanes), carry), product(x1, y0));
    sum = hn::Add(sum, hn::Add(product(x0, y1), product(n1, q0)));
    const V q1 = hn::And(product(sum, inverse), mask);
    carry = hn::ShiftRight<kBits>(hn::Add(sum, product(n0, q1)));
    hn::Store(q0, d, q + i * lanes);
    hn::Store(q1, d, q + (i + 1) * lanes);
    V x_before = x1, n_before = n1;
    for (std::size_t j = 2; j < digits; ++j) {
      const V x_now = hn::Load(d, x + j * lanes), n_now = hn::Set(d, m.n[j]);
      const V by_y = hn::Add(product(x_now, y0), product(x_before, y1));
      const V by_q = hn::Add(product(n_now, q0), product(n_before, q1));
      hn::Store(hn::Add(hn::Load(d, row + j * lanes), hn::Add(by_y, by_q)), d, row + j * lanes);
      x_before = x_now;
      n_before = n_now;
    }
    hn::Store(hn::Add(product(x_before, y1), product(n_before, q1)), d, row + digits * lanes);
    hn::Store(hn::Zero(d), d, row + (digits + 1) * lanes);
  }
  for (std::size_t j = 0; j < digits; ++j) {
    const V sum = hn::Add(hn::Load(d, t + (digits + j) * lanes), carry);
    hn::Store(hn::And(sum, mask), d, r + j * lanes);
    carry = hn::ShiftRight<kBits>(sum);
  }
}

void MultiplyHalf(const LaneConstants& m, std::uint64_t* a, std::uint64_t* b,
                  const std::uint64_t* factor) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kSize = LaneModulus::kMaxDigits * LaneModulus::kMaxLanes;
  HWY_ALIGN std::uint64_t t[2 * kSize + 2 * LaneModulus::kMaxLanes], q[kSize];
  for (std::size_t j = 0; j < m.digits; ++j) hn::Store(hn::Zero(d), d, t + j * lanes);
  montgomery(m, a, q, t, a, factor);
  for (std::size_t j = 0; j < m.digits; ++j)
    hn::Store(hn::Sub(hn::Set(d, m.offset[j]), hn::Load(d, q + j * lanes)), d, t + j * lanes);
  montgomery(m, b, q, t, b, factor);
}

std::size_t LaneCount() {
  return hn::Lanes(D64());
}

const char* TargetName() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace maskbench::paillier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace maskbench::paillier {

HWY_EXPORT(MultiplyHalf);
HWY_EXPORT(LaneCount);
HWY_EXPORT(TargetName);

LaneModulus::LaneModulus(const mpz_class& modulus) {
  // Three bits to spare keep every result below 2N; an even count serves the rows in twos.
  digits_ = (mpz_sizeinbase(modulus.get_mpz_t(), 2) + 3 + kDigitBits - 1) / kDigitBits;
  digits_ += digits_ % 2;
  if (digits_ > kMaxDigits) throw Error("paillier: keys of more than 3072 bits are not supported");
  const mpz_class base = mpz_class(1) << kDigitBits;
  mpz_class inverse, least = 0;
  mpz_invert(inverse.get_mpz_t(), modulus.get_mpz_t(), base.get_mpz_t());
  inverse_ = mpz_class(base - inverse).get_ui();
  for (std::size_t j = 0; j < digits_; ++j) least = (least << kDigitBits) + base;
  const mpz_class rest = (modulus - least % modulus) % modulus;  // least + rest is a multiple
  const auto digits_of = [&](mpz_class value) {
    std::vector<std::uint64_t> digits;
    for (std::size_t j = 0; j < digits_; ++j, value /= base)
      digits.push_back(mpz_class(value % base).get_ui());
    return digits;
  };
  n_ = digits_of(modulus);
  offset_ = digits_of(rest);
  for (auto& digit : offset_) digit += std::uint64_t{1} << kDigitBits;
}

std::size_t LaneModulus::lanes() {
  return HWY_DYNAMIC_DISPATCH(LaneCount)();
}

const char* LaneModulus::target() {
  return HWY_DYNAMIC_DISPATCH(TargetName)();
}

void LaneModulus::multiply_half(std::uint64_t* a, std::uint64_t* b,
                                const std::uint64_t* factor) const {
  HWY_DYNAMIC_DISPATCH(MultiplyHalf)
  ({digits_, inverse_, n_.data(), offset_.data()}, a, b, factor);
}

void to_digits(std::uint64_t* value, std::size_t stride, std::size_t digits, const Limb* x,
               std::size_t limbs) {
  constexpr std::size_t kBits = LaneModulus::kDigitBits;
  for (std::size_t j = 0; j < digits; ++j) {
    const std::size_t limb = j * kBits / 64, shift = j * kBits % 64;
    Limb bits = limb < limbs ? x[limb] >> shift : 0;
    if (shift + kBits > 64 && limb + 1 < limbs) bits |= x[limb + 1] << (64 - shift);
    value[j * stride] = bits & ((Limb{1} << kBits) - 1);
  }
}

void from_digits(Limb* x, std::size_t limbs, const std::uint64_t* value, std::size_t stride,
                 std::size_t digits) {
  constexpr std::size_t kBits = LaneModulus::kDigitBits;
  std::fill_n(x, limbs, Limb{0});
  std::uint64_t carry = 0;
  for (std::size_t j = 0; j < digits; ++j) {
    const std::uint64_t sum = value[j * stride] + carry;
    const Limb digit = sum & ((Limb{1} << kBits) - 1);
    carry = sum >> kBits;
    const std::size_t limb = j * kBits / 64, shift = j * kBits % 64;
    if (limb < limbs) x[limb] |= digit << shift;
    if (shift + kBits > 64 && limb + 1 < limbs) x[limb + 1] |= digit >> (64 - shift);
  }
}

}  // namespace maskbench::paillier
#endif
