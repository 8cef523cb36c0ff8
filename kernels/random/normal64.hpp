#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "kernels/random/philox.hpp"
#include "kernels/random/streams.hpp"

namespace maskbench::kernels {

// The double path: tails to 9.3 sigma, for the few draws that stand for whole vectors.
MB_HD inline double fma_rn(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

MB_HD inline double root(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

MB_HD inline int64_t nearest(double x) {
#if defined(__CUDA_ARCH__)
  return __double2ll_rn(x);
#else
  return static_cast<int64_t>(std::nearbyint(x));
#endif
}

MB_HD inline uint64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<uint64_t>(x);
#endif
}

MB_HD inline double double_of(uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

inline constexpr double kNormal64Max = 9.346;  // sqrt(2 * 63 ln 2)

struct NormalPair64 {
  double z0;
  double z1;
};

// -ln(m 2^e) for the magnitude of an odd 64-bit integer times 2^-63: with s = f/(2 + f) and
// f = m - 1, ln m = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...).
MB_HD inline double minus_log(uint64_t magnitude) {
  const uint64_t pivot = 0x3fe6a09e667f3bcdULL + (uint64_t{63} << 52);  // sqrt(1/2) 2^63
  const uint64_t above = magnitude - pivot;
  const auto exponent = static_cast<double>(static_cast<int64_t>(above) >> 52);
  const uint64_t mantissa = magnitude - (above & 0xfff0000000000000ULL);
  const double f = fma_rn(double_of(mantissa), 0x1p-63, -1.0);
  const double s = f / (2.0 + f);
  const double s2 = s * s;
  double sum = 1.0 / 21.0;
  for (int odd = 19; odd >= 1; odd -= 2) sum = fma_rn(sum, s2, 1.0 / odd);
  return fma_rn(exponent, -0x1.62e42fefa39efp-1, -2.0 * s * sum);
}

// Box-Muller as in normal.hpp, with Taylor series that end below the last bit.
MB_HD inline NormalPair64 normal_pair64(uint64_t u, uint64_t v) {
  const uint64_t sign = uint64_t{1} << 63;
  const uint64_t magnitude = bits_of(static_cast<double>(static_cast<int64_t>(u | 1))) & ~sign;
  const double radius = root(minus_log(magnitude));
  const double t = static_cast<double>(static_cast<int64_t>(v)) * 0x1.921fb54442d18p-64;
  const double t2 = -(t * t);
  double s = 1.0;
  double c = 1.0;
  for (int i = 9; i >= 1; --i) {  // Horner on t^2/((2i)(2i+1)) and t^2/((2i-1)(2i))
    s = fma_rn(s * t2, 1.0 / (2 * i * (2 * i + 1)), 1.0);
    c = fma_rn(c * t2, 1.0 / ((2 * i - 1) * 2 * i), 1.0);
  }
  const double z0 = radius * fma_rn(-t, s, c);
  const double z1 = radius * fma_rn(t, s, c);
  return {double_of(bits_of(z0) ^ (u & sign)), double_of(bits_of(z1) ^ (v << 63))};
}

// The first normal of a block of a stream.
template <class Key = PhiloxKey>
MB_HD inline double normal64_at(const StreamIdOf<Key>& id, Stream stream, uint32_t block) {
  const PhiloxBlock b = random_block(stream_counter(id, stream, block), id.key);
  return normal_pair64(uint64_t{b.x[1]} << 32 | b.x[0], uint64_t{b.x[3]} << 32 | b.x[2]).z0;
}

// R = m'r ~ N(0, active sigma2^2), on the grid.
template <class Key = PhiloxKey>
MB_HD inline int64_t collapsed_draw(const StreamIdOf<Key>& id, double sigma2, uint32_t active) {
  return nearest(normal64_at(id, Stream::kCollapsed, 0) * (sigma2 * root(double{1.0} * active)));
}

// For W = 1: c_i and d_i are signs.
struct SignPair {
  int32_t c, d;
};
template <class Key = PhiloxKey>
inline SignPair draw_signs(const StreamIdOf<Key>& id) {
  const PhiloxBlock b = random_block(stream_counter(id, Stream::kSphereC, 0), id.key);
  return {b.x[0] >> 31 != 0 ? 1 : -1, b.x[1] >> 31 != 0 ? 1 : -1};
}

// A point on the sphere of this radius in R^W, W > 1, rounded to integers without a common divisor:
// c_i or d_i. If they have one, the last is moved by as little as makes them coprime. The radius
// must be below 2^30.
template <class Key = PhiloxKey>
inline void draw_sphere(StreamIdOf<Key> id, Stream stream, double radius, std::span<int32_t> out) {
  id.column = 0;
  double norm2 = 0;
  const auto direction = [&](size_t k) {
    return normal64_at(id, stream, static_cast<uint32_t>(k));
  };
  for (size_t k = 0; k < out.size(); ++k) norm2 = fma_rn(direction(k), direction(k), norm2);
  const double scale = radius / root(norm2);
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = static_cast<int32_t>(nearest(direction(k) * scale));
  }
  int32_t divisor = 0;
  for (size_t k = 0; k + 1 < out.size(); ++k) divisor = std::gcd(divisor, out[k]);
  const int32_t last = out.back();
  for (int32_t move = 1; std::gcd(divisor, out.back()) != 1; move = move > 0 ? -move : 1 - move) {
    out.back() = last + move;  // a divisor of 0, all others being 0, ends at 1 or -1
  }
}

}  // namespace maskbench::kernels
