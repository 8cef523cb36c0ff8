#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "baselines/paillier/square_ring.hpp"

namespace maskbench::paillier {

// Powers of one base with secret exponents: the exponent is cut into windows of 6 bits, and a table
// holds base^(digit * 64^window) for each. A power t is stored as (a, l) with t = a * (1 + N*l), so
//   product of t = (product of a) * (1 + N * sum of l),
// and a factor costs multiply_half and a k-limb addition. Tables are scanned in full (constant
// time) and window by window over a block of exponents, so that a window's rows stay in the first
// cache.
class FixedBase {
 public:
  FixedBase(const SquareRing& ring, const Limb* base, std::size_t exponent_bits);
  FixedBase(const FixedBase&) = delete;  // it refers to the ring beside it

  std::size_t exponent_limbs() const { return (exponent_bits_ + 63) / 64; }

  // For each i: products[i] *= base^exponents[i] except for the factor (1 + N * logs[i] / R), which
  // the caller adds to its own and applies once. products: working form; logs: halves.
  void multiply_powers(std::span<Limb> products, std::span<Limb> logs,
                       std::span<const Limb> exponents) const;

  // product *= 1 + N * log / R: the deferred factor.
  static void apply_log(const SquareRing& ring, Limb* product, const Limb* log);

 private:
  static constexpr std::size_t kWindow = 6;
  static constexpr std::size_t kRows = std::size_t{1} << kWindow;

  const SquareRing& ring_;
  std::size_t exponent_bits_, windows_;
  std::vector<Limb> table_;  // windows x rows x (a, l)
};

}  // namespace maskbench::paillier
