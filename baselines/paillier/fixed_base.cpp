#include "baselines/paillier/fixed_base.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace maskbench::paillier {

FixedBase::FixedBase(const SquareRing& ring, const Limb* base, std::size_t exponent_bits)
    : ring_(ring),
      modulus_(ring.modulus()),
      exponent_bits_(exponent_bits),
      windows_((exponent_bits + kWindow - 1) / kWindow),
      table_(hwy::AllocateAligned<std::uint32_t>(windows_ * kRows * 2 * modulus_.digits())) {
  const std::size_t width = ring.limbs(), half = ring.half();
  Limbs powers(windows_ * kRows * width);
  Limb step[2 * kMaxLimbs];
  std::copy_n(base, width, step);
  for (std::size_t window = 0; window < windows_; ++window) {
    Limb* row = &powers[window * kRows * width];
    std::copy_n(ring.one(), width, row);
    for (std::size_t digit = 1; digit < kRows; ++digit, row += width)
      ring.multiply(row + width, row, step);
    ring.multiply(step, row, step);
  }
  Limbs inverses = powers;
  ring.invert(inverses);
  // With t*R' = a + N*b: l = b/a, and the first half of t's inverse is R/t = R*R'/a. The table
  // holds R*l, so that applying it is one product in the ring.
  const mpz_class& n = ring.modulus();
  const mpz_class r = mpz_class(1) << (64 * half);
  const mpz_class r_lanes = mpz_class(1) << (LaneModulus::kDigitBits * modulus_.digits());
  mpz_class r_lanes_inverse;
  mpz_invert(r_lanes_inverse.get_mpz_t(), r_lanes.get_mpz_t(), n.get_mpz_t());
  Limb to_lanes[2 * kMaxLimbs], to_log[kMaxLimbs], pair[2 * kMaxLimbs], log[kMaxLimbs];
  write_limbs(to_lanes, half, r_lanes % n);
  write_limbs(to_lanes + half, half, r_lanes / n % n);
  write_limbs(to_log, half, r * r % n * r_lanes_inverse % n);
  for (std::size_t i = 0; i < windows_ * kRows; ++i) {
    ring.multiply(pair, &powers[i * width], to_lanes);
    ring.multiply_mod_n(log, pair + half, &inverses[i * width]);
    ring.multiply_mod_n(log, log, to_log);
    store_row(i, pair, log);
  }
}

FixedBase::~FixedBase() {
  wipe(table_.get(), windows_ * kRows * 2 * modulus_.digits() * sizeof(std::uint32_t));
}

void FixedBase::store_row(std::size_t index, const Limb* a, const Limb* l) {
  const std::size_t digits = modulus_.digits();
  std::uint64_t wide[2 * LaneModulus::kMaxDigits];
  to_digits(wide, 1, digits, a, ring_.half());
  to_digits(wide + digits, 1, digits, l, ring_.half());
  std::uint32_t* entries = &table_[index / kRows * kRows * 2 * digits + index % kRows];
  for (std::size_t j = 0; j < 2 * digits; ++j)
    entries[j * kRows] = static_cast<std::uint32_t>(wide[j]);
}

struct FixedBase::Lanes {
  explicit Lanes(std::size_t size)
      : memory(hwy::AllocateAligned<std::uint64_t>(4 * size)),
        a(memory.get()),
        b(a + size),
        factor(b + size),
        logs(factor + size) {
    std::fill_n(memory.get(), 4 * size, std::uint64_t{0});
    bytes = 4 * size * sizeof(std::uint64_t);
  }
  ~Lanes() { wipe(memory.get(), bytes); }
  std::size_t bytes = 0;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> memory;
  std::uint64_t *a, *b, *factor, *logs;  // group by group, digits in lanes
};

void FixedBase::take_factors(Lanes& lanes, std::size_t window,
                             std::span<const Limb> exponents) const {
  const std::size_t digits = modulus_.digits(), team = LaneModulus::team();
  const std::size_t position = window * kWindow, limb = position / 64, shift = position % 64;
  const std::size_t kept = std::min(kWindow, exponent_bits_ - position), size = exponent_limbs();
  const std::size_t count = exponents.size() / size;
  const LaneTable table{&table_[window * kRows * 2 * digits], digits, kRows};
  for (std::size_t first = 0; first < count; first += team) {
    std::uint32_t index[2 * LaneModulus::kMaxLanes] = {};
    for (std::size_t i = first; i < std::min(count, first + team); ++i) {
      const Limb* exponent = &exponents[i * size];
      Limb bits = exponent[limb] >> shift;
      if (shift + kWindow > 64 && limb + 1 < size) bits |= exponent[limb + 1] << (64 - shift);
      index[i - first] = static_cast<std::uint32_t>(bits & ((Limb{1} << kept) - 1));
    }
    look_up(table, index, lanes.factor + first * digits, lanes.logs + first * digits);
  }
}

void FixedBase::multiply_powers(std::span<Limb> products, std::span<const Limb> logs,
                                std::span<const Limb> exponents) const {
  const std::size_t width = ring_.limbs(), half = ring_.half(), digits = modulus_.digits();
  const std::size_t count = products.size() / width, in_group = LaneModulus::lanes();
  const std::size_t team = LaneModulus::team();
  Lanes lanes((count + team - 1) / team * team * digits);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i / in_group * in_group * digits + i % in_group;
    to_digits(lanes.a + place, in_group, digits, &products[i * width], half);
    to_digits(lanes.b + place, in_group, digits, &products[i * width + half], half);
  }
  for (std::size_t window = 0; window < windows_; ++window) {
    take_factors(lanes, window, exponents);
    for (std::size_t place = 0; place < count * digits; place += in_group * digits)
      modulus_.multiply_half(lanes.a + place, lanes.b + place, lanes.factor + place);
  }
  for (std::size_t i = 0; i < count; ++i) finish(&products[i * width], lanes, i, &logs[i * half]);
}

void FixedBase::finish(Limb* product, const Lanes& lanes, std::size_t i, const Limb* log) const {
  const std::size_t half = ring_.half(), digits = modulus_.digits(), width = LaneModulus::lanes();
  const std::size_t place = i / width * width * digits + i % width;
  const auto size = static_cast<mp_size_t>(half);
  Limb a[kMaxLimbs + 1], b[kMaxLimbs + 1], sum[kMaxLimbs + 1], scratch[4 * kMaxLimbs + 4];
  from_digits(a, half + 1, lanes.a + place, width, digits);
  from_digits(b, half + 1, lanes.b + place, width, digits);
  from_digits(sum, half + 1, lanes.logs + place, width, digits);
  sum[half] += mpn_add_n(sum, sum, log, size);
  mpn_sec_div_r(sum, size + 1, ring_.n(), size, scratch);
  // Both halves are below 2N; an N taken from the first goes to the second.
  const Limb carry = subtract_if_not_less(a[half], a, ring_.n(), half);
  b[half] += mpn_sec_add_1(b, b, size, carry, scratch);
  subtract_if_not_less(b[half], b, ring_.n(), half);
  ring_.multiply_mod_n(sum, sum, a);
  ring_.add_mod_n(product + half, b, sum);
  std::copy_n(a, half, product);
}

}  // namespace maskbench::paillier
