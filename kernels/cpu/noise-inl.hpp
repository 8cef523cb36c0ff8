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

// Hands out p by rank, in the order of the active rows. Groups stay aligned in the buffer.
class CyclicNoise {
 public:
  CyclicNoise(const StreamId& id, float sigma1, size_t active)
      : id_(id), rounds_(prepare_rounds(id, Stream::kCyclic)), sigma1_(sigma1), active_(active) {
    std::fill_n(first_ - 1, 1 + kPast, 0);
  }

  // The next `count` values; the one before them is their predecessor, p_0 := p_{nA} at first.
  const int32_t* take(size_t count) {
    if (next_ + count > ready_) {
      const size_t done = next_ / kGroup * kGroup;
      std::memmove(first_ - 1, first_ + done - 1, (ready_ - done + 1) * sizeof(int32_t));
      next_ -= done;
      ready_ -= done;
      const bool is_start = group_ == 0;
      draw((next_ + count - ready_ + kGroup - 1) / kGroup);
      if (is_start) first_[-1] = last_value();
    }
    const int32_t* values = first_ + next_;
    next_ += count;
    return values;
  }

 private:
  void draw(size_t groups) {
    const VFloat sigma = hn::Set(DFloat(), sigma1_);
    int32_t* out = first_ + ready_;
    emit_stream(rounds_, group_, groups * kGroup, [&](size_t at, VFloat z) HWY_ATTR {
      hn::Store(nearest(hn::Mul(z, sigma)), DInt(), out + at);
    });
    group_ += static_cast<uint32_t>(groups);
    ready_ += groups * kGroup;
    std::fill_n(first_ + ready_, kPast, 0);
  }

  int32_t last_value() const {
    if (active_ <= ready_) return first_[active_ - 1];
    const auto last = static_cast<uint32_t>(active_ - 1);
    return to_grid(normal_at(id_, Stream::kCyclic, last), sigma1_);
  }

  static constexpr size_t kBefore = 16;  // room for the predecessor, and alignment
  static constexpr size_t kPast = 8;     // vectors read past the last rank
  StreamId id_;
  StreamRounds rounds_;
  float sigma1_;
  size_t active_;
  uint32_t group_ = 0;
  size_t next_ = 0;   // of first_, the first value not yet taken ...
  size_t ready_ = 0;  // ... and the first not yet drawn
  alignas(64) int32_t value_[kBefore + kTile + 2 * kGroup + kPast];
  int32_t* first_ = value_ + kBefore;
};

// r on active and q + r on inactive rows of a tile.
HWY_INLINE void row_noise(const StreamRounds& rounds, const NoiseScale& scale, size_t first,
                          size_t rows, const uint64_t* bits, int32_t* tile) {
  const DFloat d;
  const VFloat active = hn::Set(d, scale.sigma2);
  const VFloat inactive = hn::Set(d, scale.inactive);
  const auto group = static_cast<uint32_t>(first / kGroup);
  emit_stream(rounds, group, rows, [&](size_t at, VFloat z) HWY_ATTR {
    const auto m = lanes_of(d, bytes_of(bits) + at / 8);
    const VFloat sigma = hn::IfThenElse(m, active, inactive);
    hn::Store(nearest(hn::Mul(z, sigma)), DInt(), tile + at);
  });
}

// Adds p_t - p_{t-1} to the active rows, eight at a time: p has no gaps, the rows have.
HWY_INLINE void add_cyclic(const uint64_t* bits, size_t rows, const int32_t* p, int32_t* tile,
                           int32_t* out) {
  const D8x32 d;
  const hn::Rebind<int8_t, D8x32> d8;
  const size_t whole = rows / 8 * 8;
  for (size_t at = 0; at < rows; at += 8) {
    const uint8_t m = bytes_of(bits)[at / 8];
    const auto step = hn::Sub(hn::LoadU(d, p), hn::LoadU(d, p - 1));
    const auto rank = hn::PromoteTo(d, hn::LoadU(d8, kExpand.rank[m]));
    const auto low = hn::And(rank, hn::Set(d, 7));
    const auto spread = hn::TableLookupLanes(step, hn::IndicesFromVec(d, low));
    const auto row = hn::Load(d, tile + at);
    const auto b = hn::Add(row, hn::IfNegativeThenElse(rank, hn::Zero(d), spread));
    hn::StoreU(b, d, at < whole ? out + at : tile + at);
    p += std::popcount(m);
  }
  std::copy(tile + whole, tile + rows, out + whole);
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

inline void noise(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                  size_t active, int32_t* b) {
  const StreamRounds rounds = prepare_rounds(id, Stream::kRow);
  CyclicNoise cyclic(id, scale.sigma1, active);
  alignas(64) int32_t tile[kTile];
  for (size_t first = 0; first < n; first += kTile) {
    const size_t rows = std::min(kTile, n - first);
    const TileBits tile_bits(bits, first, rows);
    row_noise(rounds, scale, first, rows, tile_bits.word, tile);
    add_cyclic(tile_bits.word, rows, cyclic.take(tile_bits.active), tile, b + first);
  }
}

// m'r of a tile. A lane adds at most 256 values below 2^23 before it is widened.
HWY_INLINE int64_t sum_rows(const StreamRounds& rounds, float sigma2, size_t first, size_t rows,
                            const uint64_t* bits) {
  const DInt d;
  const VFloat sigma = hn::Set(DFloat(), sigma2);
  VInt lanes = hn::Zero(d);
  const auto group = static_cast<uint32_t>(first / kGroup);
  emit_stream(rounds, group, rows, [&](size_t at, VFloat z) HWY_ATTR {
    const auto active = lanes_of(d, bytes_of(bits) + at / 8);
    lanes = hn::Add(lanes, hn::IfThenElseZero(active, nearest(hn::Mul(z, sigma))));
  });
  return widened_sum(lanes);
}

// The sum of p_t - p_{t-1} over a tile's ranks.
HWY_INLINE int64_t sum_cyclic(const int32_t* p, size_t count) {
  const DInt d;
  VInt lanes = hn::Zero(d);
  size_t t = 0;
  for (; t + hn::Lanes(d) <= count; t += hn::Lanes(d)) {
    lanes = hn::Add(lanes, hn::Sub(hn::LoadU(d, p + t), hn::LoadU(d, p + t - 1)));
  }
  int64_t sum = widened_sum(lanes);
  for (; t < count; ++t) sum += p[t] - p[t - 1];
  return sum;
}

// All the numbers of b are drawn, but added where they are: b itself need not be put together, as
// m'b = sum_t (p_t - p_{t-1}) + sum of r over the active rows, exactly.
inline int64_t noise_sum(const StreamId& id, const NoiseScale& scale, const uint64_t* bits,
                         size_t n, size_t active) {
  const StreamRounds rounds = prepare_rounds(id, Stream::kRow);
  CyclicNoise cyclic(id, scale.sigma1, active);
  int64_t sum = 0;
  for (size_t first = 0; first < n; first += kTile) {
    const size_t rows = std::min(kTile, n - first);
    const TileBits tile(bits, first, rows);
    sum += sum_rows(rounds, scale.sigma2, first, rows, tile.word);
    sum += sum_cyclic(cyclic.take(tile.active), tile.active);
  }
  return sum;
}

inline void normals(const StreamId& id, Stream stream, float scale, size_t count, int32_t* out) {
  const StreamRounds rounds = prepare_rounds(id, stream);
  const VFloat sigma = hn::Set(DFloat(), scale);
  const size_t whole = count / kGroup * kGroup;
  emit_stream(rounds, 0, whole, [&](size_t at, VFloat z) HWY_ATTR {
    hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), out + at);
  });
  for (size_t at = whole; at < count; ++at) {
    out[at] = to_grid(normal_at(id, stream, static_cast<uint32_t>(at)), scale);
  }
}

#endif  // HWY_NATIVE_FMA

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
