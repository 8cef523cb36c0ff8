#include <gtest/gtest.h>

// cuRAND's device generator, compiled for the host: the header defines its functions by QUALIFIERS.
#if __has_include(<curand_kernel.h>)
#define QUALIFIERS [[maybe_unused]] static inline
#include <cuda_runtime.h>
#include <curand_kernel.h>
#define MASKBENCH_HAS_CURAND 1
#endif

#include "kernels/random/philox.hpp"

TEST(Philox, equals_curand_device_generator) {
#ifdef MASKBENCH_HAS_CURAND
  for (unsigned long long seed : {0ull, 1ull, 0x123456789abcdef0ull}) {
    for (unsigned long long sequence : {0ull, 5ull, 0xfedcba9876543210ull}) {
      for (unsigned long long block : {0ull, 1ull, 1000003ull}) {
        curandStatePhilox4_32_10_t state;
        curand_init(seed, sequence, block * 4, &state);
        const uint4 theirs = curand4(&state);
        const maskbench::PhiloxBlock ours = maskbench::philox(
            {{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
              static_cast<uint32_t>(sequence), static_cast<uint32_t>(sequence >> 32)}},
            {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
        EXPECT_EQ(ours.x[0], theirs.x);
        EXPECT_EQ(ours.x[1], theirs.y);
        EXPECT_EQ(ours.x[2], theirs.z);
        EXPECT_EQ(ours.x[3], theirs.w);
      }
    }
  }
#else
  GTEST_SKIP() << "CUDA's headers (curand_kernel.h) are not installed";
#endif
}
