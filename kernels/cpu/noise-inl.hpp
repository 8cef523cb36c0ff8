// The noise vector b on vectors, tile by tile in cache, once for each SIMD target.
#if defined(MASKBENCH_NOISE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKBENCH_NOISE_INL
#undef MASKBENCH_NOISE_INL
#else
#define MASKBENCH_NOISE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/cpu/sums-inl.hpp"
#include "kernels/random/normal-inl.hpp"
#include "kernels/random/normal64.hpp"

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {

#if HWY_NATIVE_FMA

inline constexpr size_t kTile = 2048;

// Lane i of row m: the rank of i among the set bits of m, with the top bit if i is not set. A lane
// permutation looks at the low bits only, a blend at the top bit.
struct ExpandTable {
  int8_t rank[256][8];
};

inline constexpr ExpandTable kExpand = [] {
  ExpandTable t{};
  for (int m = 0; m < 256; ++m) {
    int rank = 0;
    for (int i = 0; i < 8; ++i) {
      t.rank[m][i] = static_cast<int8_t>(m >> i & 1 ? rank++ : rank - 128);  // rank <= i
    }
  }
  return t;
}();

// Hands out the first `total` normals of a stream by rank, scaled in kScales ways at once, a tile's
// worth at a time. Groups stay aligned in the buffers.
template <class Rounds, size_t kScales>
class RankNoise {
 public:
  template <class Key>
  RankNoise(const StreamIdOf<Key>& id, Stream stream, const float (&sigma)[kScales], size_t total)
      : rounds_(prepare_rounds(id, stream)), total_(total) {
    for (size_t s = 0; s < kScales; ++s) {
      sigma_[s] = sigma[s];
      std::fill_n(values(s) - 1, 1 + kPast, 0);
    }
  }

  // Makes the next `count` (at most kTile) ready; returns where in values() they start.
  size_t take(size_t count) {
    if (next_ + count > ready_) {
      const size_t done = next_ / kGroup * kGroup;
      for (size_t s = 0; s < kScales; ++s) {
        std::memmove(values(s) - 1, values(s) + done - 1, (ready_ - done + 1) * sizeof(int32_t));
      }
      next_ -= done;
      ready_ -= done;
      draw((next_ + count - ready_ + kGroup - 1) / kGroup);
    }
    const size_t first = next_;
    next_ += count;
    return first;
  }

  // Values of one scale; the one before the first taken is its predecessor.
  int32_t* values(size_t s) { return value_[s] + kBefore; }

 private:
  void draw(size_t groups) {
    VFloat sigma[kScales];
    int32_t* out[kScales];
    for (size_t s = 0; s < kScales; ++s) {
      sigma[s] = hn::Set(DFloat(), sigma_[s]);
      out[s] = values(s) + ready_;
    }
    const size_t left = total_ - static_cast<size_t>(group_) * kGroup;
    emit_stream(rounds_, group_, std::min(left, groups * kGroup),
                [&](size_t at, VFloat z) HWY_ATTR {
                  for (size_t s = 0; s < kScales; ++s) {
                    hn::Store(nearest(hn::Mul(z, sigma[s])), DInt(), out[s] + at);
                  }
                });
    group_ += static_cast<uint32_t>(groups);
    ready_ += groups * kGroup;
  }

  static constexpr size_t kBefore = 16;  // room for the predecessor, and alignment
  static constexpr size_t kPast = 16;    // vectors read past the last rank
  Rounds rounds_;
  float sigma_[kScales];
  size_t total_;
  uint32_t group_ = 0;
  size_t next_ = 0;   // the first value not yet taken ...
  size_t ready_ = 0;  // ... and the first not yet drawn
  alignas(64) int32_t value_[kScales][kBefore + kTile + 2 * kGroup + kPast];
};

// The active rows' values at the set bits of m, in order, and the inactive rows' at the others.
#if HWY_TARGET <= HWY_AVX3
using DSpread = hn::CappedTag<int32_t, 16>;
using SpreadBits = uint16_t;

HWY_INLINE hn::Vec<DSpread> spread(hn::Vec<DSpread> active, hn::Vec<DSpread> inactive,
                                   SpreadBits m) {
  const __m512i rest = _mm512_maskz_expand_epi32(static_cast<__mmask16>(~m), inactive.raw);
  return hn::Vec<DSpread>{_mm512_mask_expand_epi32(rest, m, active.raw)};
}
#else
using DSpread = D8x32;
using SpreadBits = uint8_t;

HWY_INLINE hn::Vec<DSpread> spread(hn::Vec<DSpread> active, hn::Vec<DSpread> inactive,
                                   SpreadBits m) {
  const DSpread d;
  const hn::Rebind<int8_t, DSpread> d8;
  const auto to_lanes = [&](auto values, const int8_t* ranks, auto& rank) HWY_ATTR {
    rank = hn::PromoteTo(d, hn::LoadU(d8, ranks));
    return hn::TableLookupLanes(values, hn::IndicesFromVec(d, hn::And(rank, hn::Set(d, 7))));
  };
  auto rank = hn::Zero(d), unused = rank;
  const auto of_active = to_lanes(active, kExpand.rank[m], rank);
  const auto of_inactive = to_lanes(inactive, kExpand.rank[static_cast<uint8_t>(~m)], unused);
  return hn::IfNegativeThenElse(rank, of_inactive, of_active);
}
#endif

// b of a tile: r_t + p_t - p_{t-1} on the active rows, q + r on the others. The streams have no
// gaps, the rows have.
HWY_INLINE void spread_tile(const uint64_t* bits, size_t rows, const int32_t* r, const int32_t* p,
                            const int32_t* q, int32_t* out) {
  const DSpread d;
  constexpr size_t kLanes = 8 * sizeof(SpreadBits);
  alignas(64) int32_t last[kLanes];
  for (size_t at = 0; at < rows; at += kLanes) {
    SpreadBits m;
    std::memcpy(&m, bytes_of(bits) + at / 8, sizeof(m));
    const auto active = hn::Add(hn::LoadU(d, r), hn::Sub(hn::LoadU(d, p), hn::LoadU(d, p - 1)));
    const auto b = spread(active, hn::LoadU(d, q), m);
    const auto set = static_cast<size_t>(std::popcount(m));
    r += set;
    p += set;
    q += kLanes - set;
    if (at + kLanes <= rows) {
      hn::StoreU(b, d, out + at);
    } else {
      hn::Store(b, d, last);
      std::copy_n(last, rows - at, out + at);
    }
  }
}

// The bits of one tile, zero past the end.
struct TileBits {
  uint64_t word[kTile / 64];
  size_t active = 0;

  TileBits(const uint64_t* bits, size_t first, size_t rows) {
    for (size_t w = 0; w < kTile / 64; ++w) {
      word[w] = w * 64 < rows ? bits[first / 64 + w] : 0;
      active += static_cast<size_t>(std::popcount(word[w]));
    }
  }
};

template <class Key>
inline void noise(const StreamIdOf<Key>& id, const NoiseScale& scale, const uint64_t* bits,
                  size_t n, size_t active, int32_t* b) {
  using Rounds = decltype(prepare_rounds(id, Stream::kActive));
  RankNoise<Rounds, 2> of_active(id, Stream::kActive, {scale.sigma2, scale.beta}, active);
  RankNoise<Rounds, 1> of_others(id, Stream::kRow, {scale.inactive}, n - active);
  for (size_t first = 0; first < n; first += kTile) {
    const size_t rows = std::min(kTile, n - first);
    const TileBits tile(bits, first, rows);
    const size_t t = of_active.take(tile.active);
    const size_t u = of_others.take(rows - tile.active);
    if (first == 0 && active > 0) {  // p_0 := p_{nA}
      const auto last = static_cast<uint32_t>(active - 1);
      of_active.values(1)[-1] = active == tile.active
                                    ? of_active.values(1)[last]
                                    : to_grid(normal_at(id, Stream::kActive, last), scale.beta);
    }
    spread_tile(tile.word, rows, of_active.values(0) + t, of_active.values(1) + t,
                of_others.values(0) + u, b + first);
  }
}

// The sum of the ranks [first, first + count) of a stream, from a group on. A lane adds at most 256
// values below 2^23 before it is widened.
template <class Rounds>
HWY_INLINE int64_t sum_ranks(const Rounds& rounds, float sigma2, size_t first, size_t count) {
  const DInt d;
  const VFloat sigma = hn::Set(DFloat(), sigma2);
  VInt lanes = hn::Zero(d);
  const auto group = static_cast<uint32_t>(first / kGroup);
  if (count % kGroup == 0) {
    emit_stream(rounds, group, count, [&](size_t, VFloat z) HWY_ATTR {
      lanes = hn::Add(lanes, nearest(hn::Mul(z, sigma)));
    });
  } else {
    emit_stream(rounds, group, count, [&](size_t at, VFloat z) HWY_ATTR {
      const auto is_rank = hn::FirstN(d, at < count ? count - at : 0);
      lanes = hn::Add(lanes, hn::IfThenElseZero(is_rank, nearest(hn::Mul(z, sigma))));
    });
  }
  return widened_sum(lanes);
}

template <class Key>
inline int64_t noise_sum(const StreamIdOf<Key>& id, float sigma2, size_t active) {
  constexpr size_t kAtOnce = 2048;
  const auto rounds = prepare_rounds(id, Stream::kActive);
  const size_t whole = active / kGroup * kGroup;
  int64_t sum = 0;
  for (size_t first = 0; first < whole; first += kAtOnce) {
    sum += sum_ranks(rounds, sigma2, first, std::min(kAtOnce, whole - first));
  }
  return whole < active ? sum + sum_ranks(rounds, sigma2, whole, active - whole) : sum;
}

template <class Key>
inline int64_t collapsed(const StreamIdOf<Key>& id, double sigma2, uint32_t active) {
  return collapsed_draw(id, sigma2, active);
}

template <class Key>
inline void normals(const StreamIdOf<Key>& id, Stream stream, float scale, size_t count,
                    int32_t* out) {
  const auto rounds = prepare_rounds(id, stream);
  const VFloat sigma = hn::Set(DFloat(), scale);
  const size_t whole = count / kGroup * kGroup;
  emit_stream(rounds, 0, whole, [&](size_t at, VFloat z) HWY_ATTR {
    hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), out + at);
  });
  for (size_t at = whole; at < count; ++at) {
    out[at] = to_grid(normal_at(id, stream, static_cast<uint32_t>(at)), scale);
  }
}

template <class Key>
inline constexpr NoiseOps<Key> kNoiseOps{noise<Key>, noise_sum<Key>, collapsed<Key>, normals<Key>};

#endif  // HWY_NATIVE_FMA

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
