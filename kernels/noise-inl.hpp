// The noise vector b on vectors, tile by tile in cache, once for each SIMD target.
#if defined(MASKBENCH_NOISE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKBENCH_NOISE_INL
#undef MASKBENCH_NOISE_INL
#else
#define MASKBENCH_NOISE_INL
#endif

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
    while (ready_ < count) draw_group();
    used_ = count;
    return value_ + 1;
  }

 private:
  void draw_group() {
    const VFloat sigma = hn::Set(DFloat(), sigma1_);
    int32_t* out = value_ + 1 + ready_;
    normal_group(rounds_, group_++, kGroup, [&](size_t position, VFloat z) HWY_ATTR {
      hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), out + position);
    });
    ready_ += kGroup;
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
  for (size_t at = 0; at < rows; at += kGroup) {
    const auto group = static_cast<uint32_t>((first + at) / kGroup);
    normal_group(rounds, group, rows - at, [&](size_t position, VFloat z) HWY_ATTR {
      const auto m = hn::LoadMaskBits(d, bytes_of(bits) + (at + position) / 8);
      const VFloat sigma = hn::IfThenElse(m, active, inactive);
      hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), tile + at + position);
    });
  }
}

// Adds p_t - p_{t-1} to the active rows, eight at a time: p has no gaps, the rows have.
HWY_INLINE void add_cyclic(const uint64_t* bits, size_t rows, const int32_t* p, int32_t* tile) {
  const D8x32 d;
  const hn::Rebind<uint8_t, D8x32> d8;
  for (size_t at = 0; at < rows; at += 8) {
    const uint8_t m = bytes_of(bits)[at / 8];
    const auto step = hn::Sub(hn::LoadU(d, p), hn::LoadU(d, p - 1));
    const auto rank = hn::PromoteTo(d, hn::LoadU(d8, kExpand.rank[m]));
    const auto spread = hn::TableLookupLanes(step, hn::IndicesFromVec(d, rank));
    const auto row = hn::Load(d, tile + at);
    hn::Store(hn::Add(row, hn::IfThenElseZero(hn::LoadMaskBits(d, &m), spread)), d, tile + at);
    p += std::popcount(m);
  }
}

// Calls visit(first row, rows, bits of the tile, b of the tile) for each tile in order.
template <class Visit>
HWY_INLINE void each_tile(const StreamId& id, const NoiseScale& scale, const uint64_t* bits,
                          size_t n, size_t active, Visit visit) {
  const StreamRounds rounds = prepare_rounds(id, Stream::kRow);
  CyclicNoise cyclic(id, scale.sigma1, active);
  alignas(64) int32_t tile[kTile];
  for (size_t first = 0; first < n; first += kTile) {
    const size_t rows = std::min(kTile, n - first);
    const size_t words = (rows + 63) / 64;
    uint64_t tile_bits[kTile / 64] = {};
    std::copy_n(bits + first / 64, words, tile_bits);
    size_t tile_active = 0;
    for (uint64_t word : tile_bits) tile_active += static_cast<size_t>(std::popcount(word));
    row_noise(rounds, scale, first, rows, tile_bits, tile);
    add_cyclic(tile_bits, rows, cyclic.take(tile_active), tile);
    visit(first, rows, tile_bits, tile);
  }
}

inline void noise(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                  size_t active, int32_t* b) {
  each_tile(id, scale, bits, n, active,
            [&](size_t first, size_t rows, const uint64_t*, const int32_t* tile)
                HWY_ATTR { std::memcpy(b + first, tile, rows * sizeof(int32_t)); });
}

inline int64_t noise_sum(const StreamId& id, const NoiseScale& scale, const uint64_t* bits,
                         size_t n, size_t active) {
  int64_t sum = 0;
  each_tile(id, scale, bits, n, active,
            [&](size_t, size_t rows, const uint64_t* tile_bits, const int32_t* tile)
                HWY_ATTR { sum += sum32(tile, tile_bits, rows); });
  return sum;
}

inline void normals(const StreamId& id, Stream stream, float scale, size_t count, int32_t* out) {
  const StreamRounds rounds = prepare_rounds(id, stream);
  const VFloat sigma = hn::Set(DFloat(), scale);
  size_t at = 0;
  for (; at + kGroup <= count; at += kGroup) {
    normal_group(rounds, static_cast<uint32_t>(at / kGroup), kGroup,
                 [&](size_t position, VFloat z) HWY_ATTR {
                   hn::StoreU(nearest(hn::Mul(z, sigma)), DInt(), out + at + position);
                 });
  }
  for (; at < count; ++at) {
    out[at] = to_grid(normal_at(id, stream, static_cast<uint32_t>(at)), scale);
  }
}

#endif  // HWY_NATIVE_FMA

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
