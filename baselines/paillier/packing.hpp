#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "baselines/paillier/keys.hpp"
#include "baselines/paillier/message.hpp"
#include "kernels/histogram.hpp"

namespace maskbench::paillier {

enum class Travels { gradients, gradients_and_hessians };

// How fixed-point gradients share a plaintext. A slot of `slot_bits` bits holds one signed sum; a
// row's pair is g + h * 2^slot_bits; sum j of a ciphertext for decryption is shifted by
// j * sum_bits(). Slots are wide enough for every subset of the rows, so sums and sibling
// differences never overflow; a layout that does not fit the key is an error when it is made.
class Layout {
 public:
  // |value| <= 2^value_bits for every value of a row.
  Layout(std::size_t key_bits, std::size_t rows, std::size_t value_bits = kGradientBits,
         Travels travels = Travels::gradients_and_hessians);
  Layout(const PublicKey& key, std::size_t rows, std::size_t value_bits = kGradientBits,
         Travels travels = Travels::gradients_and_hessians)
      : Layout(key.bits(), rows, value_bits, travels) {}

  std::size_t slot_bits() const { return slot_bits_; }
  std::size_t sum_bits() const { return values_ * slot_bits_; }
  std::size_t sums_per_ciphertext() const { return sums_; }
  std::size_t packed_count(std::size_t sums) const { return (sums + sums_ - 1) / sums_; }

  // Throws, before anything is encrypted, if there are more rows or larger values than planned.
  Plaintexts encode(std::span<const GradientPair> rows) const;
  // The first `count` sums of decrypted packs (h = 0 if only gradients travel).
  std::vector<GradientSum> decode(const Plaintexts& packs, std::size_t count) const;

 private:
  void check_values(std::span<const GradientPair> rows) const;

  std::size_t rows_, value_bits_, values_, slot_bits_, sums_;
};

}  // namespace maskbench::paillier
