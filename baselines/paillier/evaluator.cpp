#include "baselines/paillier/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "baselines/paillier/blocks.hpp"
#include "baselines/paillier/entropy.hpp"
#include "harness/base/error.hpp"

namespace maskbench::paillier {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kChunkRows = 4096;  // of a feature's rows: one task of a histogram

std::vector<Limb> working(const SquareRing& ring, const mpz_class& value) {
  std::vector<Limb> result(ring.limbs());
  ring.from_integer(result.data(), value);
  return result;
}

void check_sizes(std::size_t left, std::size_t right) {
  if (left != right)
    throw Error(fmt::format("paillier: {} ciphertexts do not match {}", left, right));
}

}  // namespace

Evaluator::Evaluator(const PublicKey& key, ThreadPool& pool, Blinding blinding)
    : Evaluator(key, pool, draw_blinding_base(key), blinding_bits(key.bits(), blinding)) {}

Evaluator::Evaluator(const PublicKey& key, ThreadPool& pool, const mpz_class& base,
                     std::size_t bits)
    : key_(key), pool_(pool), blinding_(key.ring(), working(key.ring(), base).data(), bits) {}

void Evaluator::check_own(const Ciphertexts& ciphertexts) const {
  if (ciphertexts.key_id() != key_.id())
    throw Error(fmt::format("paillier: ciphertexts of key {:016x} do not mix with key {:016x}",
                            ciphertexts.key_id(), key_.id()));
}

Ciphertexts Evaluator::receive(const CipherMessage& message) const {
  check(message, key_, pool_);
  const SquareRing& ring = key_.ring();
  const auto width = static_cast<mp_size_t>(ring.limbs()),
             half = static_cast<mp_size_t>(ring.half());
  Ciphertexts out(key_, message.size());
  for_blocks(pool_, message.size(), kBlock, [&](std::size_t first, std::size_t last) {
    Limb pair[2 * kMaxLimbs + 1];
    for (std::size_t i = first; i < last; ++i) {
      mpn_tdiv_qr(pair + half, pair, 0, message[i], width, ring.n(), half);
      ring.enter(out.at(i), pair);
    }
  });
  return out;
}

CipherMessage Evaluator::send(const Ciphertexts& ciphertexts) const {
  check_own(ciphertexts);
  CipherMessage out(key_, ciphertexts.size());
  for_blocks(
      pool_, ciphertexts.size(), FixedBase::kBlock,
      [&](std::size_t first, std::size_t last) { send_block(out, ciphertexts, first, last); });
  return out;
}

void Evaluator::send_block(CipherMessage& out, const Ciphertexts& ciphertexts, std::size_t first,
                           std::size_t last) const {
  const SquareRing& ring = key_.ring();
  const std::size_t width = ring.limbs(), half = ring.half(), count = last - first;
  Limbs exponents(count * blinding_.exponent_limbs());
  fill_random(exponents);
  Limbs products(ciphertexts.at(first), ciphertexts.at(first) + count * width);
  Limbs logs(count * half);
  blinding_.multiply_powers(products, logs, exponents);
  for (std::size_t i = 0; i < count; ++i) {
    ring.leave(&products[i * width], &products[i * width]);
    ring.join(out[first + i], &products[i * width]);
  }
}

namespace {

// m = n - m mod n where `negative`, whatever m is: 0 stays 0, and every way costs the same.
void negate_if(Limb negative, Limb* m, const Limb* n, std::size_t limbs) {
  Limb any = 0;
  for (std::size_t j = 0; j < limbs; ++j) any |= m[j];
  const Limb nonzero = (any | (0 - any)) >> 63;
  StackLimbs<2 * kMaxLimbs> negated;
  mpn_sub_n(negated, n, m, static_cast<mp_size_t>(limbs));
  mpn_cnd_swap(negative & nonzero, m, negated, static_cast<mp_size_t>(limbs));
}

}  // namespace

Ciphertexts Evaluator::embed(const Plaintexts& plaintexts) const {
  check(plaintexts, key_);
  const SquareRing& ring = key_.ring();
  const std::size_t half = ring.half();
  Ciphertexts out(key_, plaintexts.size());
  for (std::size_t i = 0; i < plaintexts.size(); ++i) {
    StackLimbs<2 * kMaxLimbs> pair;  // 1 + n*m
    pair[0] = 1;
    std::copy_n(plaintexts.magnitude(i), plaintexts.limbs(), pair + half);
    negate_if(plaintexts.negative(i), pair + half, ring.n(), half);
    ring.enter(out.at(i), pair);
  }
  return out;
}

Ciphertexts Evaluator::zeros(std::size_t count) const {
  Ciphertexts out(key_, count);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(key_.ring().one(), out.width_, out.at(i));
  return out;
}

void Evaluator::add(Ciphertexts& sums, const Ciphertexts& terms) const {
  check_own(sums);
  check_own(terms);
  check_sizes(sums.size(), terms.size());
  for_blocks(pool_, sums.size(), kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      key_.ring().multiply(sums.at(i), sums.at(i), terms.at(i));
  });
}

Ciphertexts Evaluator::subtract(const Ciphertexts& from, const Ciphertexts& terms) const {
  check_own(from);
  check_own(terms);
  check_sizes(from.size(), terms.size());
  Ciphertexts out = terms;
  for_blocks(pool_, out.size(), kBlock, [&](std::size_t first, std::size_t last) {
    key_.ring().invert({out.at(first), (last - first) * out.width_});
    for (std::size_t i = first; i < last; ++i)
      key_.ring().multiply(out.at(i), out.at(i), from.at(i));
  });
  return out;
}

Ciphertexts Evaluator::scale(const Ciphertexts& ciphertexts, std::int64_t factor) const {
  check_own(ciphertexts);
  const mpz_class exponent = abs(mpz_class(static_cast<long>(factor)));
  Ciphertexts out = ciphertexts;
  for_blocks(pool_, out.size(), kBlock, [&](std::size_t first, std::size_t last) {
    if (factor < 0) key_.ring().invert({out.at(first), (last - first) * out.width_});
    for (std::size_t i = first; i < last; ++i)
      key_.ring().power_public(out.at(i), out.at(i), exponent);
  });
  return out;
}

Ciphertexts Evaluator::histogram(const kernels::BinMatrix& matrix,
                                 std::span<const std::uint32_t> offsets,
                                 std::span<const std::uint32_t> rows,
                                 const Ciphertexts& gradients) const {
  check_own(gradients);
  const SquareRing& ring = key_.ring();
  const std::size_t features = offsets.size() - 1, bins = offsets.back();
  const std::size_t chunks = std::max<std::size_t>(1, (rows.size() + kChunkRows - 1) / kChunkRows);
  Ciphertexts partial = zeros(chunks * bins);
  pool_.run(features * chunks, [&](std::size_t task, int) {
    const std::size_t feature = task % features, chunk = task / features;
    const std::size_t last = std::min(rows.size(), (chunk + 1) * kChunkRows);
    const std::size_t offset = chunk * bins + offsets[feature];
    for (std::size_t i = chunk * kChunkRows; i < last; ++i) {
      Limb* sum = partial.at(offset + matrix.bins[rows[i] * matrix.stride + feature]);
      ring.multiply(sum, sum, gradients.at(rows[i]));
    }
  });
  Ciphertexts out(key_, bins);
  for_blocks(pool_, bins, kBlock, [&](std::size_t first, std::size_t end) {
    std::copy_n(partial.at(first), (end - first) * out.width_, out.at(first));
    for (std::size_t chunk = 1; chunk < chunks; ++chunk)
      for (std::size_t bin = first; bin < end; ++bin)
        ring.multiply(out.at(bin), out.at(bin), partial.at(chunk * bins + bin));
  });
  return out;
}

Ciphertexts Evaluator::pack(const Ciphertexts& sums, const Layout& layout) const {
  check_own(sums);
  const SquareRing& ring = key_.ring();
  const std::size_t each = layout.sums_per_ciphertext();
  Ciphertexts out = zeros(layout.packed_count(sums.size()));
  pool_.run(out.size(), [&](std::size_t pack, int) {
    // Horner: the last sum of the pack stands highest.
    for (std::size_t i = std::min(sums.size(), (pack + 1) * each); i-- > pack * each;) {
      for (std::size_t bit = 0; bit < layout.sum_bits(); ++bit)
        ring.square(out.at(pack), out.at(pack));
      ring.multiply(out.at(pack), out.at(pack), sums.at(i));
    }
  });
  return out;
}

}  // namespace maskbench::paillier
