#include <bit>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/random/normal.hpp"
#include "kernels/random/normal64.hpp"

namespace maskbench::kernels {

namespace {

bool bit(const uint64_t* bits, size_t j) {
  return bits[j / 64] >> (j % 64) & 1;
}

size_t active_bits(const uint8_t* column, size_t n, const RowTest& test, uint64_t* bits) {
  size_t active = 0;
  for (size_t word = 0; word * 64 < n; ++word) {
    uint64_t m = 0;
    for (size_t j = word * 64; j < n && j < word * 64 + 64; ++j) {
      m |= uint64_t{is_active(test, column[j])} << (j % 64);
    }
    bits[word] = m;
    active += static_cast<size_t>(std::popcount(m));
  }
  return active;
}

template <class Key>
void noise(const StreamIdOf<Key>& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
           size_t active, int32_t* b) {
  uint32_t rank = 0, inactive = 0;
  const auto z = [&](uint32_t t) { return normal_at(id, Stream::kActive, t); };
  int32_t previous =
      active > 0 ? to_grid(z(static_cast<uint32_t>(active) - 1), scale.beta) : 0;  // p_0 := p_{nA}
  for (size_t j = 0; j < n; ++j) {
    if (bit(bits, j)) {
      const float normal = z(rank++);
      const int32_t p = to_grid(normal, scale.beta);
      b[j] = p - previous + to_grid(normal, scale.sigma2);
      previous = p;
    } else {
      b[j] = to_grid(normal_at(id, Stream::kRow, inactive++), scale.inactive);
    }
  }
}

template <class Key>
int64_t noise_sum(const StreamIdOf<Key>& id, float sigma2, size_t active) {
  int64_t sum = 0;
  for (uint32_t t = 0; t < active; ++t) sum += to_grid(normal_at(id, Stream::kActive, t), sigma2);
  return sum;
}

template <class Key>
int64_t collapsed(const StreamIdOf<Key>& id, double sigma2, uint32_t active) {
  return collapsed_draw(id, sigma2, active);
}

template <class Cell>
void mask(const MaskInput& in, Cell* masked_g, Cell* masked_h) {
  for (size_t j = 0; j < in.n; ++j) {
    int64_t g = in.g[j];
    int64_t h = in.h[j];
    for (int k = 0; k < in.columns; ++k) {
      const int64_t b = in.b[static_cast<size_t>(k) * in.n + j];
      g += in.c[k] * b;
      h += in.d[k] * b;
    }
    masked_g[j] = static_cast<Cell>(g);
    masked_h[j] = static_cast<Cell>(h);
  }
}

template <class Cell>
SumPair sum(const Cell* g, const Cell* h, const uint64_t* bits, size_t n) {
  SumPair out;
  for (size_t j = 0; j < n; ++j) {
    if (!bit(bits, j)) continue;
    out.g += g[j];
    out.h += h[j];
  }
  return out;
}

void partition(const uint32_t* rows, const uint64_t* bits, size_t n, uint32_t* left,
               uint32_t* right) {
  for (size_t j = 0; j < n; ++j) *(bit(bits, j) ? left++ : right++) = rows[j];
}

template <class Key>
void normals(const StreamIdOf<Key>& id, Stream stream, float scale, size_t count, int32_t* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = to_grid(normal_at(id, stream, static_cast<uint32_t>(i)), scale);
  }
}

template <class Key>
constexpr NoiseOps<Key> kNoiseOps{noise<Key>, noise_sum<Key>, collapsed<Key>, normals<Key>};

}  // namespace

const CpuOps& scalar_ops() {
  static constexpr CpuOps ops{"scalar",     kNoiseOps<PhiloxKey>, kNoiseOps<const AesKey*>,
                              active_bits,  mask<int32_t>,        mask<int64_t>,
                              sum<int32_t>, sum<int64_t>,         partition};
  return ops;
}

}  // namespace maskbench::kernels
