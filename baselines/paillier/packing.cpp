#include "baselines/paillier/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

__extension__ using Wide = __int128;

void write_signed(Plaintexts& out, std::size_t i, Wide value) {
  const Wide sign = value >> 127;  // 0 or -1: no branch on a secret
  const Wide magnitude = (value ^ sign) - sign;
  out.magnitude(i)[0] = static_cast<Limb>(magnitude);
  out.magnitude(i)[1] = static_cast<Limb>(magnitude >> 64);
  out.set_negative(i, sign != 0);
}

// Slot `index` of a number whose slots were all lifted by half a slot, so that none is negative.
// Where a slot lies is public, what is in it is not.
std::int64_t read_slot(const Limb* lifted, std::size_t index, std::size_t bits) {
  const std::size_t position = index * bits, limb = position / 64, shift = position % 64;
  Limb slot = lifted[limb] >> shift;
  if (shift + bits > 64) slot |= lifted[limb + 1] << (64 - shift);
  slot &= (Limb{1} << bits) - 1;
  return static_cast<std::int64_t>(slot) - (std::int64_t{1} << (bits - 1));
}

Plaintexts widened(const Plaintexts& packs, std::size_t limbs) {
  Plaintexts out(packs.size(), limbs);
  for (std::size_t i = 0; i < packs.size(); ++i) {
    std::copy_n(packs.magnitude(i), packs.limbs(), out.magnitude(i));
    out.set_negative(i, packs.negative(i) != 0);
  }
  return out;
}

// lifted = |m| or -|m|, plus lift, modulo 2^(64 limbs): the same steps for both signs.
void lift_signed(Limb* lifted, const Plaintexts& packs, std::size_t pack, const Limb* lift) {
  const std::size_t limbs = packs.limbs();
  const Limb mask = 0 - packs.negative(pack);
  for (std::size_t j = 0; j < limbs; ++j) lifted[j] = packs.magnitude(pack)[j] ^ mask;
  StackLimbs<4 * kMaxLimbs> scratch;
  const auto size = static_cast<mp_size_t>(limbs);
  mpn_sec_add_1(lifted, lifted, size, packs.negative(pack), scratch);
  mpn_add_n(lifted, lifted, lift, size);
}

}  // namespace

Layout::Layout(std::size_t key_bits, std::size_t rows, std::size_t value_bits, Travels travels)
    : rows_(rows),
      value_bits_(value_bits),
      values_(travels == Travels::gradients ? 1 : 2),
      slot_bits_(value_bits + std::bit_width(rows) + 1) {  // rows * 2^value_bits < 2^(slot_bits-1)
  // |sum over slots| < 2^(sums * sum_bits - 1) <= 2^(bits - 2) <= n/2.
  sums_ = slot_bits_ > 63 ? 0 : (key_bits - 1) / sum_bits();
  if (rows == 0 || sums_ == 0)
    throw Error(
        fmt::format("paillier: {} rows of {}-bit values need slots of {} bits, which do not "
                    "fit a {}-bit key (or 63 bits); use fewer rows or a coarser grid",
                    rows, value_bits, slot_bits_, key_bits));
}

void Layout::check_values(std::span<const GradientPair> rows) const {
  if (rows.size() > rows_)
    throw Error(
        fmt::format("paillier: {} rows do not fit slots planned for {}", rows.size(), rows_));
  const std::int64_t bound = std::int64_t{1} << value_bits_;
  const auto fits = [&](std::int64_t value) { return -bound <= value && value <= bound; };
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!fits(rows[i].g) || (values_ == 2 && !fits(rows[i].h)))
      throw Error(
          fmt::format("paillier: row {} has g = {}, h = {}, over the {} bits of a value; "
                      "nothing was encrypted",
                      i, rows[i].g, rows[i].h, value_bits_));
}

Plaintexts Layout::encode(std::span<const GradientPair> rows) const {
  check_values(rows);
  Plaintexts out(rows.size(), 2);
  const Wide unit = Wide{1} << slot_bits_;
  for (std::size_t i = 0; i < rows.size(); ++i)
    write_signed(out, i, values_ == 2 ? rows[i].g + rows[i].h * unit : Wide{rows[i].g});
  return out;
}

std::vector<GradientSum> Layout::decode(const Plaintexts& packs, std::size_t count) const {
  if (packs.size() != packed_count(count))
    throw Error(fmt::format("paillier: {} sums come in {} ciphertexts, not in {}", count,
                            packed_count(count), packs.size()));
  const std::size_t limbs = std::max(packs.limbs(), (sums_ * sum_bits() + 63) / 64);
  if (limbs > packs.limbs()) return decode(widened(packs, limbs), count);
  Limbs lift(limbs + 1), lifted(limbs + 1);
  for (std::size_t slot = 0; slot < sums_ * values_; ++slot) {
    const std::size_t bit = slot * slot_bits_ + slot_bits_ - 1;
    lift[bit / 64] |= Limb{1} << (bit % 64);
  }
  std::vector<GradientSum> sums(count);
  for (std::size_t pack = 0; pack < packs.size(); ++pack) {
    lift_signed(lifted.data(), packs, pack, lift.data());
    for (std::size_t j = 0; j < sums_ && pack * sums_ + j < count; ++j) {
      GradientSum& sum = sums[pack * sums_ + j];
      sum.g = read_slot(lifted.data(), j * values_, slot_bits_);
      if (values_ == 2) sum.h = read_slot(lifted.data(), j * values_ + 1, slot_bits_);
    }
  }
  return sums;
}

}  // namespace maskbench::paillier
