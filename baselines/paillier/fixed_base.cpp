#include "baselines/paillier/fixed_base.hpp"

#include <algorithm>

namespace maskbench::paillier {

FixedBase::FixedBase(const SquareRing& ring, const Limb* base, std::size_t exponent_bits)
    : ring_(ring),
      exponent_bits_(exponent_bits),
      windows_((exponent_bits + kWindow - 1) / kWindow) {
  const std::size_t width = ring.limbs(), half = ring.half();
  table_.resize(windows_ * kRows * width);
  Limb step[2 * kMaxLimbs];
  std::copy_n(base, width, step);
  for (std::size_t window = 0; window < windows_; ++window) {
    Limb* row = &table_[window * kRows * width];
    std::copy_n(ring.one(), width, row);
    for (std::size_t digit = 1; digit < kRows; ++digit, row += width)
      ring.multiply(row + width, row, step);
    ring.multiply(step, row, step);
  }
  // (a, b) = a * (1 + N*b/a). The inverse's first half is R^2/a mod N, so b times it is R*b/a.
  std::vector<Limb> inverses = table_;
  ring.invert(inverses);
  for (std::size_t i = 0; i < table_.size(); i += width)
    ring.multiply_mod_n(&table_[i + half], &table_[i + half], &inverses[i]);
}

void FixedBase::multiply_powers(std::span<Limb> products, std::span<Limb> logs,
                                std::span<const Limb> exponents) const {
  const std::size_t width = ring_.limbs(), half = ring_.half(), digits = exponent_limbs();
  const std::size_t count = products.size() / width;
  Limb factor[2 * kMaxLimbs];
  for (std::size_t window = 0; window < windows_; ++window) {
    const Limb* rows = &table_[window * kRows * width];
    const std::size_t position = window * kWindow, limb = position / 64, shift = position % 64;
    const std::size_t kept = std::min(kWindow, exponent_bits_ - position);
    for (std::size_t i = 0; i < count; ++i) {
      const Limb* exponent = &exponents[i * digits];
      Limb bits = exponent[limb] >> shift;
      if (shift + kWindow > 64 && limb + 1 < digits) bits |= exponent[limb + 1] << (64 - shift);
      select_row(factor, rows, width, kRows, bits & ((Limb{1} << kept) - 1));
      ring_.multiply_half(&products[i * width], &products[i * width], factor);
      ring_.add_mod_n(&logs[i * half], &logs[i * half], factor + half);
    }
  }
}

void FixedBase::apply_log(const SquareRing& ring, Limb* product, const Limb* log) {
  Limb shift[kMaxLimbs];
  ring.multiply_mod_n(shift, product, log);
  ring.add_mod_n(product + ring.half(), product + ring.half(), shift);
}

}  // namespace maskbench::paillier
