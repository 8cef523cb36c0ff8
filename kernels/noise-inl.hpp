// The noise vector b on vectors, tile by tile in cache, once for each SIMD target.
#if defined(MASKBENCH_NOISE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKBENCH_NOISE_INL
#undef MASKBENCH_NOISE_INL
#else
#define MASKBENCH_NOISE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/cpu_ops.hpp"
#include "kernels/normal-inl.hpp"
#include "kernels/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {

#if HWY_NATIVE_FMA

inline constexpr size_t kTile = 1024;

// Lane i of row m: the rank of i among the set bits of m.
struct ExpandTable {
  uint8_t rank[256][8];
};

inline constexpr ExpandTable kExpand = [] {
  ExpandTable t{};
  for (int m = 0; m < 256; ++m) {
    uint8_t rank = 0;
    for (int i = 0; i < 8; ++i) {
      t.rank[m][i] = rank;  // at most i
      rank += m >> i & 1;
    }
  }
  return t;
}();

// Hands out p_1, p_2, ... by rank; value[0] is the predecessor of value[1].
class CyclicNoise {
 public:
  CyclicNoise(const StreamId& id, float sigma1, size_t active)
      : rounds_(prepare_rounds(id, Stream::kCyclic)), sigma1_(sigma1) {
    const auto last = static_cast<uint32_t>(active - 1);
    if (active > 0) value_[0] = to_grid(normal_at(id, Stream::kCyclic, last), sigma1);
  }

  const int32_t* take(size_t count) {
    std::memmove(value_, value_ + used_, (ready_ - used_ + 1) * sizeof(int32_t));
    ready_ -= used_;
    if (ready_ < count) draw((count - ready_ + kGroup - 1) / kGroup);
    used_ = count;
    return value_ + 1;
  }

 private:
  void draw(size_t groups) {
    const VFloat sigma = hn::Set(DFloat(), sigma1_);
    int32_t* out = value_ + 1 + ready_;
    emit_stream(rounds_, group_, groups * kGroup, [&](size_t at, VFloat z) HWY_ATTR {
      hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), out + at);
    });
    group_ += static_cast<uint32_t>(groups);
    ready_ += groups * kGroup;
  }

  StreamRounds rounds_;
  float sigma1_;
  uint32_t group_ = 0;
  size_t ready_ = 0;
  size_t used_ = 0;
  int32_t value_[1 + kTile + kGroup + 8] = {};  // 8: vectors read past the last rank
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
    hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), tile + at);
  });
}

// Adds p_t - p_{t-1} to the active rows, eight at a time: p has no gaps, the rows have. Calls
// emit(row, active, b of eight rows).
template <class Emit>
HWY_INLINE void add_cyclic(const uint64_t* bits, size_t rows, const int32_t* p, const int32_t* tile,
                           Emit emit) {
  const D8x32 d;
  const hn::Rebind<uint8_t, D8x32> d8;
  for (size_t at = 0; at < rows; at += 8) {
    const uint8_t* m = bytes_of(bits) + at / 8;
    const auto step = hn::Sub(hn::LoadU(d, p), hn::LoadU(d, p - 1));
    const auto rank = hn::PromoteTo(d, hn::LoadU(d8, kExpand.rank[*m]));
    const auto spread = hn::TableLookupLanes(step, hn::IndicesFromVec(d, rank));
    const auto active = lanes_of(d, m);
    emit(at, active, hn::Add(hn::Load(d, tile + at), hn::IfThenElseZero(active, spread)));
    p += std::popcount(*m);
  }
}

// The rows of one tile: their bits, zero past the end, r or q + r, and p by rank.
struct Tile {
  size_t first;
  size_t rows;
  const int32_t* p;
  uint64_t bits[kTile / 64];
  alignas(64) int32_t row[kTile];
};

template <class Visit>
HWY_INLINE void each_tile(const StreamId& id, const NoiseScale& scale, const uint64_t* bits,
                          size_t n, size_t active, Visit visit) {
  const StreamRounds rounds = prepare_rounds(id, Stream::kRow);
  CyclicNoise cyclic(id, scale.sigma1, active);
  Tile tile;
  for (tile.first = 0; tile.first < n; tile.first += kTile) {
    tile.rows = std::min(kTile, n - tile.first);
    size_t tile_active = 0;
    for (size_t word = 0; word < kTile / 64; ++word) {
      tile.bits[word] = word * 64 < tile.rows ? bits[tile.first / 64 + word] : 0;
      tile_active += static_cast<size_t>(std::popcount(tile.bits[word]));
    }
    row_noise(rounds, scale, tile.first, tile.rows, tile.bits, tile.row);
    tile.p = cyclic.take(tile_active);
    visit(tile);
  }
}

inline void noise(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                  size_t active, int32_t* b) {
  each_tile(id, scale, bits, n, active, [&](Tile& tile) HWY_ATTR {
    add_cyclic(tile.bits, tile.rows, tile.p, tile.row, [&](size_t at, auto, auto cells) HWY_ATTR {
      hn::Store(cells, D8x32(), tile.row + at);
    });
    std::memcpy(b + tile.first, tile.row, tile.rows * sizeof(int32_t));
  });
}

// The next tile's values arrive while its normals are drawn.
HWY_INLINE void prefetch_tile(const int32_t* value) {
  for (size_t at = 0; at < kTile; at += 16) hwy::Prefetch(value + at);
}

// A lane adds at most 128 values below 2^24 before it is widened.
template <bool kWithValues>
HWY_INLINE void sum_tile(const Tile& tile, const int32_t* g, const int32_t* h, FusedSums& sums) {
  const D8x32 d;
  auto b_lanes = hn::Zero(d);
  auto g_lanes = hn::Zero(d);
  auto h_lanes = hn::Zero(d);
  const size_t whole = tile.rows / 8 * 8;
  add_cyclic(tile.bits, tile.rows, tile.p, tile.row, [&](size_t at, auto active, auto b) HWY_ATTR {
    b_lanes = hn::Add(b_lanes, hn::IfThenElseZero(active, b));
    if (!kWithValues || at == whole) return;
    g_lanes = hn::Add(g_lanes, hn::IfThenElseZero(active, hn::LoadU(d, g + at)));
    h_lanes = hn::Add(h_lanes, hn::IfThenElseZero(active, hn::LoadU(d, h + at)));
  });
  sums.b += widened_sum(b_lanes);
  if (!kWithValues) return;
  sums.value.g += widened_sum(g_lanes);
  sums.value.h += widened_sum(h_lanes);
  for (size_t j = whole; j < tile.rows; ++j) {
    sums.value.g += tail_bit(tile.bits, j) ? g[j] : 0;
    sums.value.h += tail_bit(tile.bits, j) ? h[j] : 0;
  }
}

inline FusedSums fused(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                       size_t active, const int32_t* g, const int32_t* h) {
  FusedSums sums;
  each_tile(id, scale, bits, n, active, [&](const Tile& tile) HWY_ATTR {
    if (g == nullptr) return sum_tile<false>(tile, nullptr, nullptr, sums);
    sum_tile<true>(tile, g + tile.first, h + tile.first, sums);
    if (tile.first + 2 * kTile > n) return;
    prefetch_tile(g + tile.first + kTile);
    prefetch_tile(h + tile.first + kTile);
  });
  return sums;
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
