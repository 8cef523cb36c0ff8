#pragma once

#include <bit>
#include <cstdint>

#include "kernels/host_device.hpp"

// exp and log in our own arithmetic: only IEEE +, -, *, / and bit operations, no libm and no fma,
// so that every machine, compiler and backend gets the same bits (libm picks its code by
// processor).
namespace maskbench {

// e^x in single precision; error below 2 units in the last place for |x| <= 87.
// x = k ln 2 + r with |r| <= ln 2 / 2, then a polynomial of degree 6 (Taylor, enough at that
// radius).
MB_HD inline float exp_f32(float x) {
  x = x > 87.0f ? 87.0f : x;
  x = x < -87.0f ? -87.0f : x;
  const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504f + magic;
  const float k = shifted - magic;
  const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f;  // Cody and Waite
  float p = 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r * r + r + 1.0f;
  const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(magic);
  return p * std::bit_cast<float>((exponent + 127) << 23);
}

MB_HD inline float sigmoid_f32(float x) {
  return 1.0f / (1.0f + exp_f32(-x));
}

// Natural logarithm of a positive normal double; error below 3 units in the last place.
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), then log m = 2 atanh(t), t = (m - 1)/(m + 1).
MB_HD inline double log_f64(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t k = static_cast<int64_t>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
  double m = std::bit_cast<double>(bits);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
  const double t = (m - 1.0) / (m + 1.0);
  const double t2 = t * t;
  double p = 0;
  for (int j = 23; j >= 3; j -= 2) p = (p + 1.0 / j) * t2;
  const double ln2_high = 6.93147180369123816490e-01;
  const double ln2_low = 1.90821492927058770002e-10;
  const double kd = static_cast<double>(k);
  return kd * ln2_high + (2.0 * t + (2.0 * t * p + kd * ln2_low));
}

}  // namespace maskbench
