#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <span>
#include <vector>

#include "baselines/paillier/limbs.hpp"
#include "baselines/paillier/secret.hpp"

namespace maskbench::paillier {

// Arithmetic modulo N^2 on pairs (a, b) that stand for a + N*b, each half of k limbs and below N.
//
// With T = a1*a2 and Montgomery's T + q*N = R*c (R = 2^(64k)) we have
//   (a1 + N*b1)(a2 + N*b2) = R*c + N*(a1*b2 + a2*b1 - q)   (mod N^2),
// so a Montgomery product costs three k-limb products and two k-limb reductions: five units of k^2
// instead of the eight of 2k-limb arithmetic. All of Paillier runs on it: N = n for sums, N = p and
// N = q for the key owner. Working form: the pair holds value * R mod N^2.
//
// Times depend on k alone, except where a comment says "public".
class SquareRing {
 public:
  explicit SquareRing(const mpz_class& modulus);  // odd, top bit of its top limb set

  std::size_t half() const { return k_; }       // limbs of N
  std::size_t limbs() const { return 2 * k_; }  // limbs of an element
  const mpz_class& modulus() const { return modulus_; }
  const Limb* n() const { return n_.data(); }
  const Limb* n_squared() const { return n_squared_.data(); }
  const Limb* one() const { return one_.data(); }  // working form of 1

  // r = x * y / R; r may be x or y.
  void multiply(Limb* r, const Limb* x, const Limb* y) const;
  void square(Limb* r, const Limb* x) const;
  // r = a * b / R mod N, on halves.
  void multiply_mod_n(Limb* r, const Limb* a, const Limb* b) const;
  void add_mod_n(Limb* r, const Limb* a, const Limb* b) const;

  void enter(Limb* r, const Limb* pair) const;     // plain pair -> working form
  void leave(Limb* pair, const Limb* r) const;     // working form -> plain pair
  void join(Limb* value, const Limb* pair) const;  // value = a + N*b, 2k limbs

  // r = x^exponent, constant time in the exponent's bits (and x): fixed windows, full table scans.
  void power_secret(Limb* r, const Limb* x, std::span<const Limb> exponent) const;
  void power_public(Limb* r, const Limb* x, const mpz_class& exponent) const;
  // Public: every element of a contiguous run becomes its inverse, with one inversion in all.
  void invert(std::span<Limb> elements) const;

  void from_integer(Limb* r, const mpz_class& value) const;  // public: any integer -> working form
  mpz_class to_integer(const Limb* r) const;

 private:
  // c and q of a1*a2 + q*N = R*c; returns 1 if c was above N, which moves one N to the second half.
  Limb first_half(Limb* c, Limb* q, const Limb* a1, const Limb* a2) const;
  // r = ((high, s) - q) / R + carry mod N; destroys s.
  void second_half(Limb* r, Limb* s, Limb high, const Limb* q, Limb carry) const;

  mpz_class modulus_;
  std::size_t k_;
  Limb inverse_;  // -1/N mod 2^64
  Limbs n_, n_squared_, one_, r_squared_;
};

// Fixed-length little-endian limbs of 0 <= value < 2^(64*limbs).
void write_limbs(Limb* r, std::size_t limbs, const mpz_class& value);
mpz_class read_limbs(const Limb* x, std::size_t limbs);

}  // namespace maskbench::paillier
