#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "baselines/paillier/fixed_base.hpp"
#include "baselines/paillier/keys.hpp"
#include "baselines/paillier/message.hpp"
#include "baselines/paillier/packing.hpp"
#include "kernels/histogram.hpp"
#include "kernels/parallel.hpp"

namespace maskbench::paillier {

// Checked ciphertexts in the form the sums are computed in, contiguous. Only an Evaluator makes
// them.
class Ciphertexts {
 public:
  std::size_t size() const { return limbs_.size() / width_; }
  std::uint64_t key_id() const { return key_id_; }

 private:
  friend class Evaluator;
  Ciphertexts(const PublicKey& key, std::size_t count)
      : key_id_(key.id()), width_(key.ciphertext_limbs()), limbs_(count * width_) {}
  Limb* at(std::size_t i) { return &limbs_[i * width_]; }
  const Limb* at(std::size_t i) const { return &limbs_[i * width_]; }

  std::uint64_t key_id_;
  std::size_t width_;
  std::vector<Limb> limbs_;
};

// Who knows n only: computes on ciphertexts. What leaves is always re-randomised.
class Evaluator {
 public:
  Evaluator(const PublicKey& key, ThreadPool& pool, Blinding blinding = Blinding::half_modulus);

  const PublicKey& public_key() const { return key_; }
  // Checks every ciphertext.
  Ciphertexts receive(const CipherMessage& message) const;
  // Blinds every ciphertext with fresh randomness of the system.
  CipherMessage send(const Ciphertexts& ciphertexts) const;
  // Without blinding: hides nothing before send(). send(embed(m)) is encryption with n alone.
  Ciphertexts embed(const Plaintexts& plaintexts) const;
  Ciphertexts zeros(std::size_t count) const;

  void add(Ciphertexts& sums, const Ciphertexts& terms) const;
  Ciphertexts subtract(const Ciphertexts& from, const Ciphertexts& terms) const;
  Ciphertexts scale(const Ciphertexts& ciphertexts, std::int64_t factor) const;
  // The sums of each bin of each feature over these rows; offsets as in histogram_rows.
  Ciphertexts histogram(const kernels::BinMatrix& matrix, std::span<const std::uint32_t> offsets,
                        std::span<const std::uint32_t> rows, const Ciphertexts& gradients) const;
  // Several sums in one ciphertext: layout.packed_count(sums.size()) of them.
  Ciphertexts pack(const Ciphertexts& sums, const Layout& layout) const;

 private:
  Evaluator(const PublicKey& key, ThreadPool& pool, const mpz_class& base, std::size_t bits);
  void check_own(const Ciphertexts& ciphertexts) const;
  void send_block(CipherMessage& out, const Ciphertexts& ciphertexts, std::size_t first,
                  std::size_t last) const;

  PublicKey key_;
  ThreadPool& pool_;
  FixedBase blinding_;
};

}  // namespace maskbench::paillier
