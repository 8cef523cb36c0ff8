#include "baselines/paillier/square_ring.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

constexpr unsigned kWindow = 5;

unsigned window_of(std::span<const Limb> exponent, std::size_t position) {
  const std::size_t limb = position / 64, shift = position % 64;
  Limb bits = exponent[limb] >> shift;
  if (shift + kWindow > 64 && limb + 1 < exponent.size())
    bits |= exponent[limb + 1] << (64 - shift);
  return static_cast<unsigned>(bits & ((1u << kWindow) - 1));
}

}  // namespace

void write_limbs(Limb* r, std::size_t limbs, const mpz_class& value) {
  std::fill_n(r, limbs, Limb{0});
  mpz_export(r, nullptr, -1, sizeof(Limb), 0, 0, value.get_mpz_t());
}

mpz_class read_limbs(const Limb* x, std::size_t limbs) {
  mpz_class value;
  mpz_import(value.get_mpz_t(), limbs, -1, sizeof(Limb), 0, 0, x);
  return value;
}

SquareRing::SquareRing(const mpz_class& modulus)
    : modulus_(modulus), k_(mpz_size(modulus.get_mpz_t())) {
  const std::size_t bits = mpz_sizeinbase(modulus.get_mpz_t(), 2);
  if (k_ > kMaxLimbs || bits != 64 * k_ || mpz_even_p(modulus.get_mpz_t()))
    throw Error("paillier: a modulus must be odd, of a multiple of 64 bits, at most 4096");
  const mpz_class word = mpz_class(1) << 64, r = mpz_class(1) << (64 * k_);
  mpz_class inverse, squared = modulus * modulus;
  mpz_invert(inverse.get_mpz_t(), modulus.get_mpz_t(), word.get_mpz_t());
  inverse_ = mpz_class(word - inverse).get_ui();
  n_.resize(k_);
  n_squared_.resize(2 * k_);
  one_.resize(2 * k_);
  r_squared_.resize(2 * k_);
  write_limbs(n_.data(), k_, modulus);
  write_limbs(n_squared_.data(), 2 * k_, squared);
  const auto write_pair = [&](Limbs& pair, const mpz_class& value) {
    write_limbs(pair.data(), k_, value % modulus);
    write_limbs(pair.data() + k_, k_, value / modulus);
  };
  write_pair(one_, r % squared);
  write_pair(r_squared_, r * r % squared);
}

Limb SquareRing::first_half(Limb* c, Limb* q, const Limb* a1, const Limb* a2) const {
  Limb t[2 * kMaxLimbs];
  paillier::multiply(t, a1, a2, k_);
  Limb high = reduce(t, q, n_.data(), inverse_, k_);
  const Limb carry = subtract_if_not_less(high, t + k_, n_.data(), k_);
  std::copy_n(t + k_, k_, c);
  return carry;
}

void SquareRing::second_half(Limb* r, Limb* s, Limb high, const Limb* q, Limb carry) const {
  const auto size = static_cast<mp_size_t>(k_);
  Limb scratch[kMaxLimbs];
  Limb* top = s + k_;
  Limb borrow = mpn_sub_n(s, s, q, size);
  borrow = mpn_sec_sub_1(top, top, size, borrow, scratch);
  // Below zero N*R more does not change the class; the sum wraps back.
  const Limb negative = borrow & (1 - high);
  high -= borrow - negative;
  mpn_cnd_add_n(negative, top, top, n_.data(), size);
  high += reduce(s, scratch, n_.data(), inverse_, k_);
  high += mpn_sec_add_1(top, top, size, carry, scratch);
  // s < 2*N^2 leaves less than 3N here.
  subtract_if_not_less(high, top, n_.data(), k_);
  subtract_if_not_less(high, top, n_.data(), k_);
  std::copy_n(top, k_, r);
}

void SquareRing::multiply(Limb* r, const Limb* x, const Limb* y) const {
  Limb s[2 * kMaxLimbs], cross[2 * kMaxLimbs], q[kMaxLimbs];
  paillier::multiply(s, x, y + k_, k_);
  paillier::multiply(cross, x + k_, y, k_);
  const Limb high = mpn_add_n(s, s, cross, static_cast<mp_size_t>(2 * k_));
  const Limb carry = first_half(r, q, x, y);
  second_half(r + k_, s, high, q, carry);
}

void SquareRing::square(Limb* r, const Limb* x) const {
  Limb s[2 * kMaxLimbs], q[kMaxLimbs];
  paillier::multiply(s, x, x + k_, k_);
  const Limb high = mpn_lshift(s, s, static_cast<mp_size_t>(2 * k_), 1);
  const Limb carry = first_half(r, q, x, x);
  second_half(r + k_, s, high, q, carry);
}

void SquareRing::multiply_mod_n(Limb* r, const Limb* a, const Limb* b) const {
  Limb q[kMaxLimbs];
  first_half(r, q, a, b);
}

void SquareRing::add_mod_n(Limb* r, const Limb* a, const Limb* b) const {
  Limb high = mpn_add_n(r, a, b, static_cast<mp_size_t>(k_));
  subtract_if_not_less(high, r, n_.data(), k_);
}

void SquareRing::enter(Limb* r, const Limb* pair) const {
  multiply(r, pair, r_squared_.data());
}

void SquareRing::leave(Limb* pair, const Limb* r) const {
  const Limb unit[2 * kMaxLimbs] = {1};
  multiply(pair, r, unit);
}

void SquareRing::join(Limb* value, const Limb* pair) const {
  Limb product[2 * kMaxLimbs], scratch[2 * kMaxLimbs];
  const auto size = static_cast<mp_size_t>(k_);
  paillier::multiply(product, pair + k_, n_.data(), k_);
  const Limb carry = mpn_add_n(value, product, pair, size);
  mpn_sec_add_1(value + k_, product + k_, size, carry, scratch);
}

void SquareRing::power_secret(Limb* r, const Limb* x, std::span<const Limb> exponent) const {
  const std::size_t rows = std::size_t{1} << kWindow, width = (limbs() + 7) / 8 * 8;
  Limbs table(rows * width);
  std::copy_n(one(), limbs(), table.data());
  for (std::size_t i = 1; i < rows; ++i) multiply(&table[i * width], &table[(i - 1) * width], x);
  StackLimbs<2 * kMaxLimbs> power, factor;  // c^(p - 1) and c give p away
  const std::size_t windows = (64 * exponent.size() + kWindow - 1) / kWindow;
  select_row(power, table.data(), width, rows, window_of(exponent, (windows - 1) * kWindow));
  for (std::size_t i = windows - 1; i-- > 0;) {
    for (unsigned bit = 0; bit < kWindow; ++bit) square(power, power);
    select_row(factor, table.data(), width, rows, window_of(exponent, i * kWindow));
    multiply(power, power, factor);
  }
  std::copy_n(static_cast<Limb*>(power), limbs(), r);
}

void SquareRing::power_public(Limb* r, const Limb* x, const mpz_class& exponent) const {
  Limb base[2 * kMaxLimbs], power[2 * kMaxLimbs];
  std::copy_n(x, limbs(), base);
  std::copy_n(one(), limbs(), power);
  for (std::size_t bit = mpz_sizeinbase(exponent.get_mpz_t(), 2); bit-- > 0;) {
    square(power, power);
    if (mpz_tstbit(exponent.get_mpz_t(), bit)) multiply(power, power, base);
  }
  std::copy_n(power, limbs(), r);
}

void SquareRing::invert(std::span<Limb> elements) const {
  const std::size_t width = limbs(), count = elements.size() / width;
  if (count == 0) return;
  Limbs prefix(elements.size());  // prefix[i] = product of the elements before i
  Limb product[2 * kMaxLimbs];
  std::copy_n(one(), width, product);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(product, width, &prefix[i * width]);
    multiply(product, product, &elements[i * width]);
  }
  mpz_class inverse = to_integer(product), squared = modulus_ * modulus_;
  if (mpz_invert(inverse.get_mpz_t(), inverse.get_mpz_t(), squared.get_mpz_t()) == 0)
    throw Error("paillier: a ciphertext has no inverse; it shares a factor with n");
  Limb suffix[2 * kMaxLimbs], element[2 * kMaxLimbs];
  from_integer(suffix, inverse);
  for (std::size_t i = count; i-- > 0;) {
    std::copy_n(&elements[i * width], width, element);
    multiply(&elements[i * width], suffix, &prefix[i * width]);
    multiply(suffix, suffix, element);
  }
}

void SquareRing::from_integer(Limb* r, const mpz_class& value) const {
  const mpz_class squared = modulus_ * modulus_;
  mpz_class reduced, quotient, rest;
  mpz_mod(reduced.get_mpz_t(), value.get_mpz_t(), squared.get_mpz_t());
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), reduced.get_mpz_t(), modulus_.get_mpz_t());
  Limb pair[2 * kMaxLimbs];
  write_limbs(pair, k_, rest);
  write_limbs(pair + k_, k_, quotient);
  enter(r, pair);
}

mpz_class SquareRing::to_integer(const Limb* r) const {
  Limb pair[2 * kMaxLimbs], value[2 * kMaxLimbs];
  leave(pair, r);
  join(value, pair);
  return read_limbs(value, limbs());
}

}  // namespace maskbench::paillier
