#include <bit>

#include "kernels/cpu/cpu_ops.hpp"
#include "kernels/random/normal.hpp"

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

// Calls visit(j, b_j) for every row in order.
template <class Visit>
void each_noise(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                size_t active, Visit visit) {
  const auto cyclic = [&](size_t rank) {
    return to_grid(normal_at(id, Stream::kCyclic, static_cast<uint32_t>(rank)), scale.sigma1);
  };
  uint32_t rank = 0;
  int32_t previous = active > 0 ? cyclic(active - 1) : 0;
  for (size_t j = 0; j < n; ++j) {
    const float z = normal_at(id, Stream::kRow, static_cast<uint32_t>(j));
    if (bit(bits, j)) {
      const int32_t p = cyclic(rank++);
      visit(j, p - previous + to_grid(z, scale.sigma2));
      previous = p;
    } else {
      visit(j, to_grid(z, scale.inactive));
    }
  }
}

void noise(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
           size_t active, int32_t* b) {
  each_noise(id, scale, bits, n, active, [&](size_t j, int32_t value) { b[j] = value; });
}

int64_t noise_sum(const StreamId& id, const NoiseScale& scale, const uint64_t* bits, size_t n,
                  size_t active) {
  int64_t sum = 0;
  each_noise(id, scale, bits, n, active, [&](size_t j, int32_t value) {
    if (bit(bits, j)) sum += value;
  });
  return sum;
}

void mask(const MaskInput& in, int64_t* masked_g, int64_t* masked_h) {
  for (size_t j = 0; j < in.n; ++j) {
    int64_t g = int64_t{in.g[j]} * (int64_t{1} << in.shift);
    int64_t h = int64_t{in.h[j]} * (int64_t{1} << in.shift);
    for (int k = 0; k < in.columns; ++k) {
      const int64_t b = in.b[static_cast<size_t>(k) * in.n + j];
      g += in.c[k] * b;
      h += in.d[k] * b;
    }
    masked_g[j] = g;
    masked_h[j] = h;
  }
}

SumPair sum64(const int64_t* g, const int64_t* h, const uint64_t* bits, size_t n) {
  SumPair sum;
  for (size_t j = 0; j < n; ++j) {
    if (!bit(bits, j)) continue;
    sum.g += g[j];
    sum.h += h[j];
  }
  return sum;
}

void partition(const uint32_t* rows, const uint64_t* bits, size_t n, uint32_t* left,
               uint32_t* right) {
  for (size_t j = 0; j < n; ++j) *(bit(bits, j) ? left++ : right++) = rows[j];
}

void normals(const StreamId& id, Stream stream, float scale, size_t count, int32_t* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = to_grid(normal_at(id, stream, static_cast<uint32_t>(i)), scale);
  }
}

}  // namespace

const CpuOps& scalar_ops() {
  static constexpr CpuOps ops{"scalar", active_bits, noise,     noise_sum,
                              mask,     sum64,       partition, normals};
  return ops;
}

}  // namespace maskbench::kernels
