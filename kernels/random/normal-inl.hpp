// Random blocks and Box-Muller on vectors, once for each SIMD target (Highway includes this
// repeatedly).
#if defined(MASKBENCH_NORMAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKBENCH_NORMAL_INL
#undef MASKBENCH_NORMAL_INL
#else
#define MASKBENCH_NORMAL_INL
#endif

#include <hwy/highway.h>

#include "kernels/random/aes.hpp"
#include "kernels/random/normal.hpp"
#include "kernels/random/streams.hpp"

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<uint64_t>;
using D32 = hn::ScalableTag<uint32_t>;
using DInt = hn::ScalableTag<int32_t>;
using DFloat = hn::ScalableTag<float>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
using VInt = hn::Vec<DInt>;
using VFloat = hn::Vec<DFloat>;

struct Words32 {
  V32 x0, x1, x2, x3;
};

// The words of 2 Lanes(D32) consecutive blocks, in order.
struct BlockPair {
  Words32 low, high;
};

// Philox. What is the same in all blocks of a stream: the round keys, and the halves of rounds 1
// and 2 that do not depend on the block number.
struct PhiloxRounds {
  uint64_t key0[10];
  uint64_t key1[10];
  uint64_t first2;   // x3 ^ k1 of round 1
  uint64_t second0;  // lo(M1 x2) ^ k0 of round 2
  uint64_t second2;  // hi(M0 x0) ^ k1 of round 2
  uint64_t third3;   // lo(M0 x0) of round 2
};

inline constexpr uint32_t kMul0 = 0xD2511F53u;
inline constexpr uint32_t kMul1 = 0xCD9E8D57u;

inline PhiloxRounds prepare_rounds(const StreamId& id, Stream stream) {
  PhiloxRounds r{};
  PhiloxKey key = id.key;
  for (int i = 0; i < 10; ++i) {
    r.key0[i] = key.k0;
    r.key1[i] = key.k1;
    key.k0 += 0x9E3779B9u;
    key.k1 += 0xBB67AE85u;
  }
  const PhiloxBlock x = stream_counter(id, stream, 0);
  const uint64_t b = uint64_t{kMul1} * x.x[2];
  const uint32_t x0 = static_cast<uint32_t>(b >> 32) ^ x.x[1] ^ static_cast<uint32_t>(r.key0[0]);
  const uint64_t a = uint64_t{kMul0} * x0;
  r.first2 = x.x[3] ^ r.key1[0];
  r.second0 = static_cast<uint32_t>(b) ^ r.key0[1];
  r.second2 = (a >> 32) ^ r.key1[1];
  r.third3 = static_cast<uint32_t>(a);
  return r;
}

// 32 x 32 -> 64 bits; the upper half of each 64-bit lane of x is ignored.
HWY_INLINE V64 wide_product(V64 x, V64 multiplier) {
  const D32 d;
  return hn::MulEven(hn::BitCast(d, x), hn::BitCast(d, multiplier));
}

struct Words64 {
  V64 x0, x1, x2, x3;  // the words in the lower halves, anything above
};

HWY_INLINE Words64 philox_round(Words64 w, V64 mul0, V64 mul1, uint64_t key0, uint64_t key1) {
  const D64 d;
  const V64 a = wide_product(w.x0, mul0);
  const V64 b = wide_product(w.x2, mul1);
  return {hn::Xor(hn::ShiftRight<32>(b), hn::Xor(w.x1, hn::Set(d, key0))), b,
          hn::Xor(hn::ShiftRight<32>(a), hn::Xor(w.x3, hn::Set(d, key1))), a};
}

// Rounds 1 and 2, where half of the state is constant.
HWY_INLINE Words64 philox_head(const PhiloxRounds& r, V64 block, V64 mul0, V64 mul1) {
  const D64 d;
  const V64 a = wide_product(block, mul0);
  const V64 x2 = hn::Xor(hn::ShiftRight<32>(a), hn::Set(d, r.first2));
  const V64 b = wide_product(x2, mul1);
  return {hn::Xor(hn::ShiftRight<32>(b), hn::Set(d, r.second0)), b,
          hn::Xor(a, hn::Set(d, r.second2)), hn::Set(d, r.third3)};
}

HWY_INLINE V32 join_halves(V64 even, V64 odd) {
  const D32 d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

HWY_INLINE Words32 join_words(const Words64& even, const Words64& odd) {
  return {join_halves(even.x0, odd.x0), join_halves(even.x1, odd.x1), join_halves(even.x2, odd.x2),
          join_halves(even.x3, odd.x3)};
}

// Four chains run interleaved, since a round is bound by the multiplier's latency.
HWY_INLINE BlockPair blocks_from(const PhiloxRounds& r, uint32_t block) {
  const D64 d;
  const V64 first = hn::Add(hn::ShiftLeft<1>(hn::Iota(d, 0)), hn::Set(d, block));
  const V64 mul0 = hn::Set(d, kMul0);
  const V64 mul1 = hn::Set(d, kMul1);
  const V64 one = hn::Set(d, 1);
  const V64 next = hn::Add(first, hn::Set(d, 2 * hn::Lanes(d)));
  Words64 even_low = philox_head(r, first, mul0, mul1);
  Words64 odd_low = philox_head(r, hn::Add(first, one), mul0, mul1);
  Words64 even_high = philox_head(r, next, mul0, mul1);
  Words64 odd_high = philox_head(r, hn::Add(next, one), mul0, mul1);
  HWY_UNROLL(8)
  for (int i = 2; i < 10; ++i) {
    even_low = philox_round(even_low, mul0, mul1, r.key0[i], r.key1[i]);
    odd_low = philox_round(odd_low, mul0, mul1, r.key0[i], r.key1[i]);
    even_high = philox_round(even_high, mul0, mul1, r.key0[i], r.key1[i]);
    odd_high = philox_round(odd_high, mul0, mul1, r.key0[i], r.key1[i]);
  }
  return {join_words(even_low, odd_low), join_words(even_high, odd_high)};
}

#if HWY_NATIVE_FMA  // a target of vectors
// AES in counter mode.
struct AesRounds {
  const AesKey* key;
  PhiloxBlock counter;  // of block 0
};

inline AesRounds prepare_rounds(const StreamIdOf<const AesKey*>& id, Stream stream) {
  return {id.key, stream_counter(id, stream, 0)};
}

HWY_INLINE Words32 transpose(V32 a, V32 b, V32 c, V32 d) {
  const D32 d32;
  const D64 d64;
  const auto low_ab = hn::BitCast(d64, hn::InterleaveLower(d32, a, b));
  const auto high_ab = hn::BitCast(d64, hn::InterleaveUpper(d32, a, b));
  const auto low_cd = hn::BitCast(d64, hn::InterleaveLower(d32, c, d));
  const auto high_cd = hn::BitCast(d64, hn::InterleaveUpper(d32, c, d));
  return {hn::BitCast(d32, hn::InterleaveLower(d64, low_ab, low_cd)),
          hn::BitCast(d32, hn::InterleaveUpper(d64, low_ab, low_cd)),
          hn::BitCast(d32, hn::InterleaveLower(d64, high_ab, high_cd)),
          hn::BitCast(d32, hn::InterleaveUpper(d64, high_ab, high_cd))};
}

// Lanes(D32) consecutive blocks. A vector holds a block in each 128 bits, vector i those numbered
// 4 l + i, so that transposing within 128 bits puts the words of all blocks in order.
HWY_INLINE Words32 aes_words(const AesRounds& r, uint32_t block) {
  const D32 d;
  const hn::Repartition<uint8_t, D32> bytes;
  using VBytes = hn::Vec<decltype(bytes)>;
  const auto is_first = hn::Eq(hn::And(hn::Iota(d, 0), hn::Set(d, 3)), hn::Zero(d));
  const V32 first =
      hn::Add(hn::LoadDup128(d, r.counter.x), hn::IfThenElseZero(is_first, hn::Iota(d, block)));
  const V32 one = hn::IfThenElseZero(is_first, hn::Set(d, 1));
  const V32 two = hn::Add(one, one);
  const auto key = [&](size_t i) HWY_ATTR { return hn::LoadDup128(bytes, r.key->round(i)); };
  VBytes k = key(0);
  VBytes a = hn::Xor(hn::BitCast(bytes, first), k);
  VBytes b = hn::Xor(hn::BitCast(bytes, hn::Add(first, one)), k);
  VBytes c = hn::Xor(hn::BitCast(bytes, hn::Add(first, two)), k);
  VBytes e = hn::Xor(hn::BitCast(bytes, hn::Add(first, hn::Add(one, two))), k);
  HWY_UNROLL(9)
  for (size_t i = 1; i < AesKey::kRounds; ++i) {
    k = key(i);
    a = hn::AESRound(a, k);
    b = hn::AESRound(b, k);
    c = hn::AESRound(c, k);
    e = hn::AESRound(e, k);
  }
  k = key(AesKey::kRounds);
  const auto last = [&](VBytes s) HWY_ATTR { return hn::BitCast(d, hn::AESLastRound(s, k)); };
  return transpose(last(a), last(b), last(c), last(e));
}

HWY_INLINE BlockPair blocks_from(const AesRounds& r, uint32_t block) {
  return {aes_words(r, block), aes_words(r, block + static_cast<uint32_t>(hn::Lanes(D32())))};
}
#endif  // HWY_NATIVE_FMA

struct VPair {
  VFloat z0, z1;
};

// normal_pair of normal.hpp, operation by operation.
HWY_INLINE VPair normal_pair(V32 u, V32 v) {
  const D32 du;
  const DInt di;
  const DFloat df;
  const V32 sign = hn::Set(du, 0x80000000u);
  const VFloat wide = hn::ConvertTo(df, hn::BitCast(di, hn::Or(u, hn::Set(du, 1u))));
  const V32 magnitude = hn::AndNot(sign, hn::BitCast(du, wide));
  const V32 above = hn::Sub(magnitude, hn::Set(du, kNormal.pivot));
  const VFloat exponent = hn::ConvertTo(df, hn::ShiftRight<23>(hn::BitCast(di, above)));
  const V32 mantissa = hn::Sub(magnitude, hn::And(above, hn::Set(du, 0xff800000u)));
  const VFloat f =
      hn::MulAdd(hn::BitCast(df, mantissa), hn::Set(df, kNormal.unit), hn::Set(df, -1.0f));
  VFloat log = hn::Set(df, kNormal.log[7]);
  HWY_UNROLL(7)
  for (int i = 6; i >= 0; --i) log = hn::MulAdd(log, f, hn::Set(df, kNormal.log[i]));
  const VFloat radius = hn::Sqrt(hn::MulAdd(log, f, hn::Mul(exponent, hn::Set(df, -kNormal.ln2))));

  const VFloat t = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, v)), hn::Set(df, kNormal.angle));
  const VFloat t2 = hn::Mul(t, t);
  VFloat s = hn::Set(df, kNormal.sin[3]);
  VFloat c = hn::Set(df, kNormal.cos[3]);
  HWY_UNROLL(3)
  for (int i = 2; i >= 0; --i) {
    s = hn::MulAdd(s, t2, hn::Set(df, kNormal.sin[i]));
    c = hn::MulAdd(c, t2, hn::Set(df, kNormal.cos[i]));
  }
  const VFloat z0 = hn::Mul(radius, hn::NegMulAdd(t, s, c));
  const VFloat z1 = hn::Mul(radius, hn::MulAdd(t, s, c));
  return {hn::Xor(z0, hn::BitCast(df, hn::And(u, sign))),
          hn::Xor(z1, hn::BitCast(df, hn::ShiftLeft<31>(v)))};
}

// The nearest integer, ties to even. Highway's NearestInt also mends overflow, which cannot happen.
HWY_INLINE VInt nearest(VFloat x) {
#if HWY_TARGET == HWY_AVX2
  return VInt{_mm256_cvtps_epi32(x.raw)};
#elif HWY_TARGET <= HWY_AVX3
  return VInt{_mm512_cvtps_epi32(x.raw)};
#else
  return hn::NearestInt(x);
#endif
}

template <class Emit>
HWY_INLINE void emit_normals(const Words32& w, size_t offset, Emit& emit) {
  const VPair a = normal_pair(w.x0, w.x1);
  const VPair b = normal_pair(w.x2, w.x3);
  emit(offset, a.z0);
  emit(offset + kGroupBlocks, a.z1);
  emit(offset + 2 * kGroupBlocks, b.z0);
  emit(offset + 3 * kGroupBlocks, b.z1);
}

// The first `count` normals from a group on: emit(offset, vector of consecutive normals). Offsets
// up to the end of the last group may be emitted too. One flat loop, so that constants stay loaded.
template <class Rounds, class Emit>
HWY_INLINE void emit_stream(const Rounds& r, uint32_t group, size_t count, Emit emit) {
  const size_t lanes = hn::Lanes(D32());
  const size_t chunks = kGroupBlocks / (2 * lanes);  // of a group
  const size_t rest = count % kGroup < kGroupBlocks ? count % kGroup : kGroupBlocks;
  const size_t end = count / kGroup * chunks + (rest + 2 * lanes - 1) / (2 * lanes);
  for (size_t chunk = 0; chunk < end; ++chunk) {
    const BlockPair words =
        blocks_from(r, static_cast<uint32_t>(group * kGroupBlocks + chunk * 2 * lanes));
    const size_t offset = chunk / chunks * kGroup + chunk % chunks * 2 * lanes;
    emit_normals(words.low, offset, emit);
    emit_normals(words.high, offset + lanes, emit);
  }
}

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
