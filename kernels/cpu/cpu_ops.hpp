#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/noise.hpp"
#include "kernels/random/aes.hpp"
#include "kernels/random/streams.hpp"

namespace maskbench::kernels {

// What AP masks for one candidate.
struct MaskInput {
  size_t n = 0;
  const int32_t* g = nullptr;
  const int32_t* h = nullptr;
  const int32_t* b = nullptr;  // columns one after another
  const int32_t* c = nullptr;
  const int32_t* d = nullptr;
  int columns = 1;
};

struct SumPair {
  int64_t g = 0;
  int64_t h = 0;
};

// Those of the loops below that draw, for one kind of key.
template <class Key>
struct NoiseOps {
  void (*noise)(const StreamIdOf<Key>& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                size_t active, int32_t* b);
  int64_t (*noise_sum)(const StreamIdOf<Key>& id, float sigma2, size_t active);
  int64_t (*collapsed)(const StreamIdOf<Key>& id, double sigma2, uint32_t active);
  void (*normals)(const StreamIdOf<Key>& id, Stream stream, float scale, size_t count,
                  int32_t* out);
};

// The loops over the rows of one candidate, once in plain C++ and once vectorised; both give the
// same integers. Bit j of `bits` is m_j; bits past n are zero and arrays may have any alignment.
struct CpuOps {
  const char* name;
  NoiseOps<PhiloxKey> philox;
  NoiseOps<const AesKey*> aes;

  // Writes ceil(n/64) words; returns the number of active rows.
  size_t (*active_bits)(const uint8_t* column, size_t n, const RowTest& test, uint64_t* bits);

  // <g>_j = g_j + sum_k c_k b[k n + j] and <h>_j likewise with d.
  void (*mask32)(const MaskInput& input, int32_t* masked_g, int32_t* masked_h);
  void (*mask64)(const MaskInput& input, int64_t* masked_g, int64_t* masked_h);

  // m'<g> and m'<h>.
  SumPair (*sum32)(const int32_t* g, const int32_t* h, const uint64_t* bits, size_t n);
  SumPair (*sum64)(const int64_t* g, const int64_t* h, const uint64_t* bits, size_t n);

  // Rows whose bit is set to `left`, the others to `right`, both in order.
  void (*partition)(const uint32_t* rows, const uint64_t* bits, size_t n, uint32_t* left,
                    uint32_t* right);

  // One vector b of step 1 of masked (docs/protocol.md) over n rows.
  template <class Key = PhiloxKey>
  void noise(const StreamIdOf<Key>& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
             size_t active, int32_t* b) const {
    with(id.key).noise(id, scale, bits, n, active, b);
  }
  // m'b for the same b, which is m'r: the sum of the first `active` r.
  template <class Key = PhiloxKey>
  int64_t noise_sum(const StreamIdOf<Key>& id, float sigma2, size_t active) const {
    return with(id.key).noise_sum(id, sigma2, active);
  }
  // R = m'r as one draw (collapsed_draw): here so that its fma is an instruction where there is
  // one.
  template <class Key = PhiloxKey>
  int64_t collapsed(const StreamIdOf<Key>& id, double sigma2, uint32_t active) const {
    return with(id.key).collapsed(id, sigma2, active);
  }
  // count standard normals of a stream times scale, from position 0 on.
  template <class Key = PhiloxKey>
  void normals(const StreamIdOf<Key>& id, Stream stream, float scale, size_t count,
               int32_t* out) const {
    with(id.key).normals(id, stream, scale, count, out);
  }

 private:
  const NoiseOps<PhiloxKey>& with(PhiloxKey) const { return philox; }
  const NoiseOps<const AesKey*>& with(const AesKey*) const { return aes; }
};

const CpuOps& scalar_ops();
const CpuOps& simd_ops();  // the best of AVX2 and AVX-512 here; scalar_ops where neither is

}  // namespace maskbench::kernels
