#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "baselines/paillier/keys.hpp"
#include "baselines/paillier/secret.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::paillier {

// Signed integers in (-n/2, n/2), contiguous: `limbs` limbs of magnitude each, and a sign.
class Plaintexts {
 public:
  Plaintexts(std::size_t count, std::size_t limbs);
  explicit Plaintexts(std::span<const mpz_class> values);

  std::size_t size() const { return negative_.size(); }
  std::size_t limbs() const { return limbs_; }
  Limb* magnitude(std::size_t i) { return &magnitudes_[i * limbs_]; }
  const Limb* magnitude(std::size_t i) const { return &magnitudes_[i * limbs_]; }
  Limb negative(std::size_t i) const { return negative_[i]; }
  void set_negative(std::size_t i, bool negative) { negative_[i] = negative; }
  mpz_class operator[](std::size_t i) const;

 private:
  std::size_t limbs_;
  Limbs magnitudes_;
  std::vector<unsigned char> negative_;
};

// What crosses the wire, word for word: the key's id, then ciphertexts as numbers below n^2, each
// of the key's fixed length. Nothing about a received message is trusted before check().
class CipherMessage {
 public:
  CipherMessage(const PublicKey& key, std::size_t count);
  CipherMessage(const PublicKey& receiver, std::vector<Limb> words);

  std::size_t size() const { return (words_.size() - 1) / limbs_each_; }
  const Limb* operator[](std::size_t i) const { return &words_[1 + i * limbs_each_]; }
  Limb* operator[](std::size_t i) { return &words_[1 + i * limbs_each_]; }
  const std::vector<Limb>& words() const { return words_; }
  std::vector<Limb> take_words() && { return std::move(words_); }

 private:
  std::size_t limbs_each_;
  std::vector<Limb> words_;
};

// Throws unless the message is of this key and every ciphertext is in 1..n^2-1 and coprime with n.
void check(const CipherMessage& message, const PublicKey& key, ThreadPool& pool);
// Throws when a plaintext is not within (-n/2, n/2).
void check(const Plaintexts& plaintexts, const PublicKey& key);

}  // namespace maskbench::paillier
