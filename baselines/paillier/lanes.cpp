#include "baselines/paillier/lanes.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

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

// One Montgomery product on its way: two digits of the factor at a time, so that a loaded digit
// serves two products.
struct Row {
  V x_before, q0, q1, carry;
  std::uint64_t* t;

  // Finds the quotient digits that cancel the two lowest digits of t + x*y.
  HWY_INLINE void start(const LaneConstants& m, const std::uint64_t* x, V y0, V y1) {
    const D64 d;
    const std::size_t lanes = hn::Lanes(d);
    const V inverse = hn::Set(d, m.inverse), mask = hn::Set(d, (std::uint64_t{1} << kBits) - 1);
    const V n0 = hn::Set(d, m.n[0]), n1 = hn::Set(d, m.n[1]);
    const V x0 = hn::Load(d, x), x1 = hn::Load(d, x + lanes);
    V sum = hn::Add(hn::Add(hn::Load(d, t), carry), product(x0, y0));
    q0 = hn::And(product(sum, inverse), mask);
    carry = hn::ShiftRight<kBits>(hn::Add(sum, product(n0, q0)));
    sum = hn::Add(hn::Add(hn::Load(d, t + lanes), carry), product(x1, y0));
    sum = hn::Add(sum, hn::Add(product(x0, y1), product(n1, q0)));
    q1 = hn::And(product(sum, inverse), mask);
    carry = hn::ShiftRight<kBits>(hn::Add(sum, product(n0, q1)));
    x_before = x1;
  }

  HWY_INLINE void step(std::size_t place, V x, V n, V n_before, V y0, V y1) {
    const D64 d;
    const V by_y = hn::Add(product(x, y0), product(x_before, y1));
    const V by_q = hn::Add(product(n, q0), product(n_before, q1));
    hn::Store(hn::Add(hn::Load(d, t + place), hn::Add(by_y, by_q)), d, t + place);
    x_before = x;
  }

  HWY_INLINE void finish(std::size_t place, V n_before, V y1) {
    const D64 d;
    hn::Store(hn::Add(product(x_before, y1), product(n_before, q1)), d, t + place);
    hn::Store(hn::Zero(d), d, t + place + hn::Lanes(d));
    t += 2 * hn::Lanes(d);
  }

  // Carries between the digits before they fill up. The first `kept` digits, from which quotient
  // digits are still to be taken, stay at 2^kBits or above.
  HWY_INLINE void settle(std::size_t digits, std::size_t kept) {
    const D64 d;
    const std::size_t lanes = hn::Lanes(d);
    const V one = hn::Set(d, 1), spare = hn::Set(d, std::uint64_t{1} << kBits);
    const V mask = hn::Set(d, (std::uint64_t{1} << kBits) - 1);
    V over = hn::Zero(d);
    for (std::size_t j = 0; j + 1 < digits; ++j) {
      const V sum = hn::Add(hn::Load(d, t + j * lanes), over);
      const V low = hn::And(sum, mask);
      over = hn::ShiftRight<kBits>(sum);
      hn::Store(j < kept ? hn::Add(low, spare) : low, d, t + j * lanes);
      if (j < kept) over = hn::Sub(over, one);
    }
    std::uint64_t* top = t + (digits - 1) * lanes;
    hn::Store(hn::Add(hn::Load(d, top), over), d, top);
  }

  HWY_INLINE void normalise(std::uint64_t* r, std::size_t digits) {
    const D64 d;
    const V mask = hn::Set(d, (std::uint64_t{1} << kBits) - 1);
    for (std::size_t j = 0; j < digits * hn::Lanes(d); j += hn::Lanes(d)) {
      const V sum = hn::Add(hn::Load(d, t + j), carry);
      hn::Store(hn::And(sum, mask), d, r + j);
      carry = hn::ShiftRight<kBits>(sum);
    }
  }
};

// Both products run side by side: they share the loads of n and hide each other's latency.
void MultiplyHalf(const LaneConstants& m, std::uint64_t* a, std::uint64_t* b,
                  const std::uint64_t* factor) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d), digits = m.digits;
  constexpr std::size_t kSize = (2 * LaneModulus::kMaxDigits + 2) * LaneModulus::kMaxLanes;
  HWY_ALIGN std::uint64_t s[kSize], t[kSize];
  for (std::size_t j = 0; j < digits; ++j) {
    hn::Store(hn::Zero(d), d, s + j * lanes);
    hn::Store(hn::Set(d, m.offset[j]), d, t + j * lanes);
  }
  Row first{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d), s};
  Row second{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d), t};
  for (std::size_t i = 0; i < digits; i += 2) {
    const V y0 = hn::Load(d, factor + i * lanes), y1 = hn::Load(d, factor + (i + 1) * lanes);
    first.start(m, a, y0, y1);
    hn::Store(hn::Sub(hn::Load(d, second.t), first.q0), d, second.t);
    hn::Store(hn::Sub(hn::Load(d, second.t + lanes), first.q1), d, second.t + lanes);
    second.start(m, b, y0, y1);
    V n_before = hn::Set(d, m.n[1]);
    for (std::size_t j = 2; j < digits; ++j) {
      const V n = hn::Set(d, m.n[j]);
      first.step(j * lanes, hn::Load(d, a + j * lanes), n, n_before, y0, y1);
      second.step(j * lanes, hn::Load(d, b + j * lanes), n, n_before, y0, y1);
      n_before = n;
    }
    first.finish(digits * lanes, n_before, y1);
    second.finish(digits * lanes, n_before, y1);
    if (digits > LaneModulus::kDigitsWithoutCarry && i + 2 == digits / 4 * 2) {  // half way
      first.settle(digits, 0);
      second.settle(digits, digits - (i + 2));
    }
  }
  first.normalise(a, digits);
  second.normalise(b, digits);
}

#if HWY_TARGET == HWY_SCALAR

std::size_t TeamSize() {
  return 1;
}

void LookUp(const LaneTable& table, const std::uint32_t* index, std::uint64_t* factors,
            std::uint64_t* logs) {
  for (std::size_t j = 0; j < 2 * table.digits; ++j) {
    std::uint64_t chosen = 0;
    for (std::uint32_t row = 0; row < table.rows; ++row)
      chosen |= table.entries[j * table.rows + row] & (0 - std::uint32_t{row == *index});
    if (j < table.digits)
      factors[j] = chosen;
    else
      logs[j - table.digits] += chosen;
  }
}

#else

using D32 = hn::Repartition<std::uint32_t, D64>;

std::size_t TeamSize() {
  return hn::Lanes(D32());
}

// A vector of entries is permuted in registers by the low part of each index and kept where the
// high part names this vector: every entry is read, and nothing depends on an index but register
// contents.
void LookUp(const LaneTable& table, const std::uint32_t* index, std::uint64_t* factors,
            std::uint64_t* logs) {
  const D64 d;
  const D32 d32;
  const hn::Half<D32> half;
  const std::size_t lanes = hn::Lanes(d), team = hn::Lanes(d32), size = table.digits * lanes;
  const auto all = hn::LoadU(d32, index);
  const auto low_bits = hn::Set(d32, static_cast<std::uint32_t>(team - 1));
  const auto low = hn::IndicesFromVec(d32, hn::And(all, low_bits));
  HWY_ALIGN std::uint32_t keep[LaneTable::kMaxRows];
  for (std::size_t row = 0; row < table.rows; row += team) {
    const auto here =
        hn::Eq(hn::AndNot(low_bits, all), hn::Set(d32, static_cast<std::uint32_t>(row)));
    hn::Store(hn::VecFromMask(d32, here), d32, keep + row);
  }
  for (std::size_t j = 0; j < 2 * table.digits; ++j) {
    const std::uint32_t* entries = table.entries + j * table.rows;
    auto chosen = hn::Zero(d32);
    for (std::size_t row = 0; row < table.rows; row += team) {
      const auto candidate = hn::TableLookupLanes(hn::Load(d32, entries + row), low);
      chosen = hn::Or(chosen, hn::And(candidate, hn::Load(d32, keep + row)));
    }
    const V lower = hn::PromoteTo(d, hn::LowerHalf(half, chosen));
    const V upper = hn::PromoteTo(d, hn::UpperHalf(half, chosen));
    if (j < table.digits) {
      hn::Store(lower, d, factors + j * lanes);
      hn::Store(upper, d, factors + size + j * lanes);
    } else {
      std::uint64_t* log = logs + (j - table.digits) * lanes;
      hn::Store(hn::Add(hn::Load(d, log), lower), d, log);
      hn::Store(hn::Add(hn::Load(d, log + size), upper), d, log + size);
    }
  }
}

#endif

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
HWY_EXPORT(LookUp);
HWY_EXPORT(LaneCount);
HWY_EXPORT(TeamSize);
HWY_EXPORT(TargetName);

LaneModulus::LaneModulus(const mpz_class& modulus) {
  // Three bits to spare keep every result below 2N; an even count serves the rows in twos.
  digits_ = (mpz_sizeinbase(modulus.get_mpz_t(), 2) + 3 + kDigitBits - 1) / kDigitBits;
  digits_ += digits_ % 2;
  if (digits_ > kMaxDigits) throw Error("paillier: keys of more than 4096 bits are not supported");
  const mpz_class base = mpz_class(1) << kDigitBits;
  mpz_class inverse, least = 0;
  mpz_invert(inverse.get_mpz_t(), modulus.get_mpz_t(), base.get_mpz_t());
  inverse_ = mpz_class(base - inverse).get_ui();
  for (std::size_t j = 0; j < digits_; ++j) least = (least << kDigitBits) + base;
  const mpz_class rest = (modulus - least % modulus) % modulus;  // least + rest is a multiple
  const auto digits_of = [&](mpz_class value) {
    Digits digits;
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

std::size_t LaneModulus::team() {
  return HWY_DYNAMIC_DISPATCH(TeamSize)();
}

void look_up(const LaneTable& table, const std::uint32_t* index, std::uint64_t* factors,
             std::uint64_t* logs) {
  HWY_DYNAMIC_DISPATCH(LookUp)(table, index, factors, logs);
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
