#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "baselines/paillier/limbs.hpp"
#include "baselines/paillier/secret.hpp"

namespace maskbench::paillier {

struct LaneConstants {
  std::size_t digits;
  std::uint64_t inverse;        // -1/N mod 2^28
  const std::uint64_t* n;       // its digits
  const std::uint64_t* offset;  // a multiple of N with every digit >= 2^28
};

using Digits = std::vector<std::uint64_t, WipingAllocator<std::uint64_t>>;

// Several independent Montgomery products at once, one in each 64-bit lane of the vector unit (4
// with AVX2, 8 with AVX-512, chosen at run time). Numbers are digits of 28 bits; digit j of lane v
// stands at [j * lanes + v]. A product of digits has 56 bits, so that 2 * 110 of them fit in a lane
// with no carry in between (3072 bits; longer moduli carry once, half way), and results stay below
// 2N with no comparison. Times depend on sizes alone. R' = 2^(28 * digits).
class LaneModulus {
 public:
  static constexpr std::size_t kDigitBits = 28;
  static constexpr std::size_t kDigitsWithoutCarry = 110;
  static constexpr std::size_t kMaxDigits = 148;
  static constexpr std::size_t kMaxLanes = 8;

  explicit LaneModulus(const mpz_class& modulus);

  static std::size_t lanes();
  static std::size_t team();  // indices that look_up serves at once: one or two groups of lanes
  static const char* target();
  std::size_t digits() const { return digits_; }

  // (a + N*b) = (a + N*b) * factor / R' mod N^2 with halves below 2N, as in SquareRing.
  void multiply_half(std::uint64_t* a, std::uint64_t* b, const std::uint64_t* factor) const;

 private:
  std::size_t digits_;
  std::uint64_t inverse_;
  Digits n_, offset_;
};

// Rows of two numbers (a, l), transposed: entry [j * rows + row] is digit j of (a, l) of a row.
struct LaneTable {
  static constexpr std::size_t kMaxRows = 64;
  const std::uint32_t* entries;  // aligned
  std::size_t digits, rows;      // of a and of l each
};

// For a team of indices, in constant time: factors = a of the indexed rows, logs += l. Both are
// laid out group by group for multiply_half.
void look_up(const LaneTable& table, const std::uint32_t* index, std::uint64_t* factors,
             std::uint64_t* logs);

// value[j * stride] for j < digits: the digits of x; and back, for digits of up to 60 bits.
void to_digits(std::uint64_t* value, std::size_t stride, std::size_t digits, const Limb* x,
               std::size_t limbs);
void from_digits(Limb* x, std::size_t limbs, const std::uint64_t* value, std::size_t stride,
                 std::size_t digits);

}  // namespace maskbench::paillier
