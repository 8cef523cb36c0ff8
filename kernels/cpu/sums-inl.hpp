// Masks, masked values and masked sums on vectors, once for each SIMD target.
#if defined(MASKBENCH_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MASKBENCH_SUMS_INL
#undef MASKBENCH_SUMS_INL
#else
#define MASKBENCH_SUMS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "kernels/cpu/cpu_ops.hpp"

HWY_BEFORE_NAMESPACE();
namespace maskbench::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

using D8x32 = hn::CappedTag<int32_t, 8>;
using D4x64 = hn::CappedTag<int64_t, 4>;

inline const uint8_t* bytes_of(const uint64_t* bits) {
  return reinterpret_cast<const uint8_t*>(bits);
}

// Lane i of row m: all ones if bit i of m is set. A table, since AVX2 moves bits to lanes slowly.
struct LaneTable {
  int8_t lane[256][8];
};

inline constexpr LaneTable kLanes = [] {
  LaneTable t{};
  for (int m = 0; m < 256; ++m) {
    for (int i = 0; i < 8; ++i) t.lane[m][i] = static_cast<int8_t>(-(m >> i & 1));
  }
  return t;
}();

// The mask of the rows whose bits start at a byte.
template <class D>
HWY_INLINE hn::Mask<D> lanes_of(D d, const uint8_t* byte) {
#if HWY_TARGET == HWY_AVX2
  const hn::RebindToSigned<D> wide;
  const hn::Rebind<int8_t, D> narrow;
  return hn::RebindMask(
      d, hn::MaskFromVec(hn::PromoteTo(wide, hn::LoadU(narrow, kLanes.lane[*byte]))));
#else
  return hn::LoadMaskBits(d, byte);
#endif
}

inline size_t active_bits(const uint8_t* column, size_t n, const RowTest& test, uint64_t* bits) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto bin = hn::Set(d, test.bin);
  const auto missing = hn::Set(d, static_cast<uint8_t>(test.missing_bin));
  const auto has_missing =
      test.missing_bin >= 0 ? hn::MaskFromVec(hn::Set(d, 0xff)) : hn::FirstN(d, 0);
  const auto missing_left =
      test.missing_left ? hn::MaskFromVec(hn::Set(d, 0xff)) : hn::FirstN(d, 0);
  const auto flip = test.flip ? hn::MaskFromVec(hn::Set(d, 0xff)) : hn::FirstN(d, 0);
  uint8_t* out = reinterpret_cast<uint8_t*>(bits);
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto value = hn::LoadU(d, column + j);
    const auto is_missing = hn::And(hn::Eq(value, missing), has_missing);
    const auto left = hn::Or(hn::AndNot(is_missing, hn::Eq(hn::Min(value, bin), value)),
                             hn::And(is_missing, missing_left));
    hn::StoreMaskBits(d, hn::Xor(left, flip), out + j / 8);
  }
  std::fill(out + j / 8, out + (n + 63) / 64 * 8, uint8_t{0});
  for (; j < n; ++j) bits[j / 64] |= uint64_t{is_active(test, column[j])} << (j % 64);
  size_t active = 0;
  for (size_t word = 0; word * 64 < n; ++word) {
    active += static_cast<size_t>(std::popcount(bits[word]));
  }
  return active;
}

inline bool tail_bit(const uint64_t* bits, size_t j) {
  return bits[j / 64] >> (j % 64) & 1;
}

template <class V>
HWY_INLINE int64_t widened_sum(V lanes) {
  const hn::DFromV<V> d;
  HWY_ALIGN int32_t part[hn::MaxLanes(d)];
  hn::Store(lanes, d, part);
  int64_t sum = 0;
  for (size_t i = 0; i < hn::Lanes(d); ++i) sum += part[i];
  return sum;
}

// A sum of 32-bit values in 32-bit lanes: their halves apart, 16 bits each, so that 2^15 of them
// add without overflow.
struct HalfSums {
  hn::Vec<hn::ScalableTag<int32_t>> low, high;

  HWY_INLINE void add(hn::Vec<hn::ScalableTag<int32_t>> v) {
    low = hn::Add(low, hn::And(v, hn::Set(hn::ScalableTag<int32_t>(), 0xffff)));
    high = hn::Add(high, hn::ShiftRight<16>(v));
  }
  HWY_INLINE int64_t total() const { return widened_sum(low) + widened_sum(high) * 65536; }
};

inline SumPair sum32(const int32_t* g, const int32_t* h, const uint64_t* bits, size_t n) {
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d), whole = n / lanes * lanes, at_once = lanes << 15;
  SumPair sum;
  for (size_t first = 0; first < whole; first += at_once) {
    HalfSums sum_g{hn::Zero(d), hn::Zero(d)}, sum_h = sum_g;
    for (size_t j = first; j < std::min(first + at_once, whole); j += lanes) {
      const auto active = lanes_of(d, bytes_of(bits) + j / 8);
      sum_g.add(hn::IfThenElseZero(active, hn::LoadU(d, g + j)));
      sum_h.add(hn::IfThenElseZero(active, hn::LoadU(d, h + j)));
    }
    sum.g += sum_g.total();
    sum.h += sum_h.total();
  }
  for (size_t j = whole; j < n; ++j) {
    sum.g += tail_bit(bits, j) ? g[j] : 0;
    sum.h += tail_bit(bits, j) ? h[j] : 0;
  }
  return sum;
}

// Four lanes of 64 bits for a half of a byte of bits.
HWY_INLINE hn::Vec<D4x64> half_lanes(const int8_t* lane) {
  const hn::Rebind<int32_t, D4x64> middle;
  return hn::PromoteTo(D4x64(),
                       hn::PromoteTo(middle, hn::LoadU(hn::Rebind<int8_t, D4x64>(), lane)));
}

inline SumPair sum64(const int64_t* g, const int64_t* h, const uint64_t* bits, size_t n) {
  const D4x64 d;
  auto g_low = hn::Zero(d), g_high = hn::Zero(d), h_low = hn::Zero(d), h_high = hn::Zero(d);
  const size_t whole = n / 8 * 8;
  for (size_t j = 0; j < whole; j += 8) {
    const int8_t* lane = kLanes.lane[bytes_of(bits)[j / 8]];
    const auto low = half_lanes(lane);
    const auto high = half_lanes(lane + 4);
    g_low = hn::Add(g_low, hn::And(low, hn::LoadU(d, g + j)));
    g_high = hn::Add(g_high, hn::And(high, hn::LoadU(d, g + j + 4)));
    h_low = hn::Add(h_low, hn::And(low, hn::LoadU(d, h + j)));
    h_high = hn::Add(h_high, hn::And(high, hn::LoadU(d, h + j + 4)));
  }
  SumPair sum{hn::GetLane(hn::SumOfLanes(d, hn::Add(g_low, g_high))),
              hn::GetLane(hn::SumOfLanes(d, hn::Add(h_low, h_high)))};
  for (size_t j = whole; j < n; ++j) {
    sum.g += tail_bit(bits, j) ? g[j] : 0;
    sum.h += tail_bit(bits, j) ? h[j] : 0;
  }
  return sum;
}

// The rows from j on, too few for a vector.
template <class Cell>
HWY_INLINE void mask_rest(const MaskInput& in, size_t j, Cell* masked_g, Cell* masked_h) {
  for (; j < in.n; ++j) {
    masked_g[j] = in.g[j];
    masked_h[j] = in.h[j];
    for (int k = 0; k < in.columns; ++k) {
      const Cell b = in.b[static_cast<size_t>(k) * in.n + j];
      masked_g[j] += in.c[k] * b;
      masked_h[j] += in.d[k] * b;
    }
  }
}

// W = 1: c and d are signs, and an addition does.
HWY_INLINE void mask_signs(const MaskInput& in, int32_t* masked_g, int32_t* masked_h) {
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto c = hn::Set(d, in.c[0] >> 31), e = hn::Set(d, in.d[0] >> 31);
  const auto negated_if = [](auto b, auto all_ones)
                              HWY_ATTR { return hn::Sub(hn::Xor(b, all_ones), all_ones); };
  size_t j = 0;
  for (; j + lanes <= in.n; j += lanes) {
    const auto b = hn::LoadU(d, in.b + j);
    hn::StoreU(hn::Add(hn::LoadU(d, in.g + j), negated_if(b, c)), d, masked_g + j);
    hn::StoreU(hn::Add(hn::LoadU(d, in.h + j), negated_if(b, e)), d, masked_h + j);
  }
  mask_rest(in, j, masked_g, masked_h);
}

inline void mask32(const MaskInput& in, int32_t* masked_g, int32_t* masked_h) {
  const auto is_sign = [](int32_t c) { return c == 1 || c == -1; };
  if (in.columns == 1 && is_sign(in.c[0]) && is_sign(in.d[0]))
    return mask_signs(in, masked_g, masked_h);
  const hn::ScalableTag<int32_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t j = 0;
  for (; j + lanes <= in.n; j += lanes) {
    auto g = hn::LoadU(d, in.g + j), h = hn::LoadU(d, in.h + j);
    for (int k = 0; k < in.columns; ++k) {
      const auto b = hn::LoadU(d, in.b + static_cast<size_t>(k) * in.n + j);
      g = hn::Add(g, hn::Mul(b, hn::Set(d, in.c[k])));
      h = hn::Add(h, hn::Mul(b, hn::Set(d, in.d[k])));
    }
    hn::StoreU(g, d, masked_g + j);
    hn::StoreU(h, d, masked_h + j);
  }
  mask_rest(in, j, masked_g, masked_h);
}

inline void mask64(const MaskInput& in, int64_t* masked_g, int64_t* masked_h) {
  const hn::ScalableTag<int64_t> d;
  const hn::Rebind<int32_t, decltype(d)> half;
  const hn::Repartition<int32_t, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const auto product = [&](auto wide, int32_t weight) HWY_ATTR {
    return hn::MulEven(hn::BitCast(narrow, wide), hn::Set(narrow, weight));
  };
  size_t j = 0;
  for (; j + lanes <= in.n; j += lanes) {
    auto g = hn::PromoteTo(d, hn::LoadU(half, in.g + j));
    auto h = hn::PromoteTo(d, hn::LoadU(half, in.h + j));
    for (int k = 0; k < in.columns; ++k) {
      const auto b = hn::PromoteTo(d, hn::LoadU(half, in.b + static_cast<size_t>(k) * in.n + j));
      g = hn::Add(g, product(b, in.c[k]));
      h = hn::Add(h, product(b, in.d[k]));
    }
    hn::StoreU(g, d, masked_g + j);
    hn::StoreU(h, d, masked_h + j);
  }
  mask_rest(in, j, masked_g, masked_h);
}

// The set bits of m in order, and how many there are.
struct SetBits {
  int8_t lane[256][8];
  uint8_t count[256];
};

inline constexpr SetBits kSetBits = [] {
  SetBits t{};
  for (int m = 0; m < 256; ++m) {
    for (int i = 0; i < 8; ++i) {
      if (m >> i & 1) t.lane[m][t.count[m]++] = static_cast<int8_t>(i);
    }
  }
  return t;
}();

// Eight rows at a time into a buffer, as a whole vector is stored for a few rows.
inline void partition(const uint32_t* rows, const uint64_t* bits, size_t n, uint32_t* left,
                      uint32_t* right) {
  const hn::CappedTag<uint32_t, 8> d;
  const D8x32 signed_lanes;
  const hn::Rebind<int8_t, D8x32> d8;
  uint32_t lefts[64 + 8], rights[64 + 8];
  const auto put = [&](auto values, uint8_t m, uint32_t* to) HWY_ATTR {
    const auto lanes = hn::PromoteTo(signed_lanes, hn::LoadU(d8, kSetBits.lane[m]));
    hn::StoreU(hn::TableLookupLanes(values, hn::IndicesFromVec(d, lanes)), d, to);
  };
  for (size_t base = 0; base < n; base += 64) {
    const size_t count = std::min<size_t>(64, n - base);
    size_t j = 0, set = 0;
    for (; j + 8 <= count; j += 8) {
      const uint8_t m = bytes_of(bits)[(base + j) / 8];
      const auto values = hn::LoadU(d, rows + base + j);
      put(values, m, lefts + set);
      put(values, static_cast<uint8_t>(~m), rights + (j - set));
      set += kSetBits.count[m];
    }
    for (; j < count; ++j) {
      const bool is_left = tail_bit(bits, base + j);
      (is_left ? lefts[set] : rights[j - set]) = rows[base + j];
      set += is_left;
    }
    left = std::copy_n(lefts, set, left);
    right = std::copy_n(rights, count - set, right);
  }
}

#endif  // HWY_NATIVE_FMA

}  // namespace maskbench::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
