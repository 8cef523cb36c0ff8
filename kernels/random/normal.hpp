#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/random/philox.hpp"
#include "kernels/random/streams.hpp"

namespace maskbench::kernels {

// Correctly rounded primitives. Everything below is built of them alone, in a fixed order, so that
// scalar code, AVX2, AVX-512 and CUDA give the same bits; no function of libm is called but these.
MB_HD inline float fma_rn(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

MB_HD inline float root(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

MB_HD inline int32_t nearest(float x) {
#if defined(__CUDA_ARCH__)
  return __float2int_rn(x);
#else
  return static_cast<int32_t>(std::nearbyint(x));
#endif
}

MB_HD inline uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  return std::bit_cast<uint32_t>(x);
#endif
}

MB_HD inline float float_of(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

// Coefficients fitted in the minimax sense: -ln(1+f)/f on [sqrt(1/2)-1, sqrt(2)-1], sin(t)/t and
// cos(t) in powers of t^2 on [-pi/4, pi/4].
struct NormalCoefficients {
  float log[8] = {-0x1.fffffcp-1f, 0x1.0000acp-1f, -0x1.555bfep-2f, 0x1.ff474ep-3f,
                  -0x1.972098p-3f, 0x1.61fb5cp-3f, -0x1.4f5b1ep-3f, 0x1.a18166p-4f};
  float sin[4] = {1.0f, -0x1.555540p-3f, 0x1.110630p-7f, -0x1.99076cp-13f};
  float cos[4] = {1.0f, -0x1.ffffa0p-2f, 0x1.553cecp-5f, -0x1.64257ep-10f};
  float ln2 = 0x1.62e430p-1f;
  float angle = 0x1.921fb6p-32f;  // pi/4 / 2^31
  float unit = 0x1p-31f;
  uint32_t pivot = 0x3f3504f3u + (31u << 23);  // the bits of sqrt(1/2) 2^31
};
inline constexpr NormalCoefficients kNormal{};

// No draw is larger: sqrt(2 * 31 ln 2) = 6.556, plus the transform's error.
inline constexpr double kNormalMax = 6.5566;

struct NormalPair {
  float z0;
  float z1;
};

// Box-Muller on two words. |u| in odd multiples of 2^-31 gives the radius, its sign the sign of z0;
// v the angle t in [-pi/4, pi/4), its lowest bit the sign of z1. With the first quadrant turned to
// that range, z0, z1 = sqrt(-ln U) (cos t -+ sin t): one square root, no octant logic.
MB_HD inline NormalPair normal_pair(uint32_t u, uint32_t v) {
  constexpr NormalCoefficients k{};
  const uint32_t sign = 0x80000000u;
  const uint32_t magnitude = bits_of(static_cast<float>(static_cast<int32_t>(u | 1u))) & ~sign;
  const uint32_t above = magnitude - k.pivot;
  const float exponent = static_cast<float>(static_cast<int32_t>(above) >> 23);
  const float f = fma_rn(float_of(magnitude - (above & 0xff800000u)), k.unit, -1.0f);
  float log = k.log[7];
  for (int i = 6; i >= 0; --i) log = fma_rn(log, f, k.log[i]);
  const float radius = root(fma_rn(log, f, exponent * -k.ln2));

  const float t = static_cast<float>(static_cast<int32_t>(v)) * k.angle;
  const float t2 = t * t;
  float s = k.sin[3];
  float c = k.cos[3];
  for (int i = 2; i >= 0; --i) {
    s = fma_rn(s, t2, k.sin[i]);
    c = fma_rn(c, t2, k.cos[i]);
  }
  const float z0 = radius * fma_rn(-t, s, c);
  const float z1 = radius * fma_rn(t, s, c);
  return {float_of(bits_of(z0) ^ (u & sign)), float_of(bits_of(z1) ^ (v << 31))};
}

struct NormalQuad {
  float z[4];
};

MB_HD inline NormalQuad normal_quad(PhiloxBlock block) {
  const NormalPair a = normal_pair(block.x[0], block.x[1]);
  const NormalPair b = normal_pair(block.x[2], block.x[3]);
  return {{a.z0, a.z1, b.z0, b.z1}};
}

// The standard normal at one position of a stream. Selects without indexing, which would put the
// four on a GPU thread's stack.
template <class Key = PhiloxKey>
MB_HD inline float normal_at(const StreamIdOf<Key>& id, Stream stream, uint32_t position) {
  const PhiloxBlock counter = stream_counter(id, stream, block_of(position));
  const NormalQuad quad = normal_quad(random_block(counter, id.key));
  const uint32_t word = word_of(position);
  const float low = word == 0 ? quad.z[0] : quad.z[1];
  const float high = word == 2 ? quad.z[2] : quad.z[3];
  return word < 2 ? low : high;
}

}  // namespace maskbench::kernels
