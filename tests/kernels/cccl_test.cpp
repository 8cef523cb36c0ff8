// What the shim does in place of CUB, and our own kernel in place of CUB's partition, against
// Thrust on the host: the same library, the same meaning.
#if __has_include(<thrust/scan.h>)
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#define MASKBENCH_HAS_THRUST 1
#endif

#include <gtest/gtest.h>

#include <random>

#include "kernels/cpu/cpu_ops.hpp"
#include "tests/kernels/cuda_on_host/shim.hpp"

namespace maskbench::kernels {
namespace {

#ifdef MASKBENCH_HAS_THRUST

TEST(Cccl, the_shims_scan_is_that_of_thrust) {
  std::mt19937 random(3);
  for (size_t count : {0, 1, 2, 31, 32, 33, 1000, 4097, 100'000}) {
    std::vector<uint32_t> values(count), sums(count);
    for (uint32_t& v : values) v = random();  // sums of 32 bits wrap
    thrust::exclusive_scan(thrust::host, values.begin(), values.end(), sums.begin());
    EXPECT_EQ(scan_of_shim(values), sums) << count;
  }
}

TEST(Cccl, rows_are_partitioned_as_by_thrusts_stable_partition) {
  for (size_t n : {1, 31, 64, 65, 1023, 5001}) {
    std::vector<uint32_t> rows(n), out(n);
    std::vector<uint64_t> bits((n + 63) / 64);
    for (uint32_t j = 0; j < n; ++j) {
      rows[j] = j;
      bits[j / 64] |= uint64_t{(j * 2654435761u >> 13 & 7) < 3} << (j % 64);
    }
    const auto is_left = [&](uint32_t j) { return (bits[j / 64] >> (j % 64) & 1) != 0; };
    std::vector<uint32_t> expected = rows;
    const auto middle =
        thrust::stable_partition(thrust::host, expected.begin(), expected.end(), is_left);
    simd_ops().partition(rows.data(), bits.data(), n, out.data(),
                         out.data() + (middle - expected.begin()));
    EXPECT_EQ(out, expected) << n;
    EXPECT_EQ(partition_of_shim(rows, bits), expected) << n;
  }
}

#else

TEST(Cccl, the_shims_scan_is_that_of_thrust) {
  GTEST_SKIP() << "Thrust is not installed (CUDA's toolkit, or Debian's libthrust-dev)";
}

#endif

}  // namespace
}  // namespace maskbench::kernels
