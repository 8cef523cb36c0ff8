#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "baselines/paillier/lanes.hpp"
#include "baselines/paillier/square_ring.hpp"

namespace maskbench::paillier {

// Powers of one base with secret exponents: the exponent is cut into windows of 6 bits, and a table
// holds base^(digit * 64^window) for each. A power t is stored as (a, l) with t = a * (1 + N*l), so
//   product of t = (product of a) * (1 + N * sum of l),
// and a factor costs one multiply_half (several exponents at once, in lanes) and an addition
// without carries. Tables are scanned in full (constant time), window by window over a block of
// exponents, so that a window's rows stay in the first cache.
class FixedBase {
 public:
  static constexpr std::size_t kBlock = 96;  // exponents of one call, at most

  FixedBase(const SquareRing& ring, const Limb* base, std::size_t exponent_bits);
  ~FixedBase();
  FixedBase(const FixedBase&) = delete;  // it refers to the ring beside it

  std::size_t exponent_limbs() const { return (exponent_bits_ + 63) / 64; }

  // For each i: products[i] *= base^exponents[i] * (1 + N * logs[i] / R). Products are ring
  // elements, logs halves below or equal N (they let the caller add a factor for nothing).
  void multiply_powers(std::span<Limb> products, std::span<const Limb> logs,
                       std::span<const Limb> exponents) const;

 private:
  static constexpr std::size_t kWindow = 6;
  static constexpr std::size_t kRows = std::size_t{1} << kWindow;

  struct Lanes;  // a block's numbers as digits in lanes
  void store_row(std::size_t index, const Limb* a, const Limb* l);
  void take_factors(Lanes& lanes, std::size_t window, std::span<const Limb> exponents) const;
  void finish(Limb* product, const Lanes& lanes, std::size_t i, const Limb* log) const;

  const SquareRing& ring_;
  LaneModulus modulus_;
  std::size_t exponent_bits_, windows_;
  hwy::AlignedFreeUniquePtr<std::uint32_t[]> table_;  // windows x digits of (a, l) x rows
};

}  // namespace maskbench::paillier
