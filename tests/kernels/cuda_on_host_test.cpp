// The shim itself: what it must run, and what it must refuse.
// clang-format off
#include "tests/kernels/cuda_on_host/cuda_on_host.hpp"
// clang-format on

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using cuda_on_host::Fault;
using cuda_on_host::launch;

__global__ void reverse_block(int* x) {
  __shared__ int copy[96];
  copy[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

TEST(CudaOnHost, shared_memory_and_barrier) {
  std::vector<int> x(192);
  std::iota(x.begin(), x.end(), 0);
  launch(reverse_block, {2, 1, 1}, {96, 1, 1}, 0, x.data());
  for (int i = 0; i < 96; ++i) {
    EXPECT_EQ(x[static_cast<size_t>(i)], 95 - i);
    EXPECT_EQ(x[static_cast<size_t>(96 + i)], 96 + 95 - i);
  }
}

__global__ void shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_sync(~0u, lane, 5);
  out[32 + lane] = __shfl_up_sync(~0u, lane, 3);
  out[64 + lane] = __shfl_down_sync(~0u, lane, 3);
  out[96 + lane] = __shfl_xor_sync(~0u, lane, 9);
  out[128 + lane] = __shfl_sync(~0u, lane, 2, 8);
}

TEST(CudaOnHost, every_shuffle) {
  std::vector<int> out(160);
  launch(shuffles, {1, 1, 1}, {32, 1, 1}, 0, out.data());
  for (int lane = 0; lane < 32; ++lane) {
    const auto at = [&](int block) { return out[static_cast<size_t>(32 * block + lane)]; };
    EXPECT_EQ(at(0), 5);
    EXPECT_EQ(at(1), lane < 3 ? lane : lane - 3);
    EXPECT_EQ(at(2), lane > 28 ? lane : lane + 3);
    EXPECT_EQ(at(3), lane ^ 9);
    EXPECT_EQ(at(4), lane / 8 * 8 + 2);
  }
}

__global__ void votes(unsigned* out) {
  const unsigned ballot = __ballot_sync(~0u, threadIdx.x % 3 == 0);
  const int any = __any_sync(~0u, threadIdx.x == 31);
  const int all = __all_sync(~0u, threadIdx.x < 31);
  const int count = __syncthreads_count(threadIdx.x < 7);
  if (threadIdx.x < 16) {  // half a warp may meet on its own
    const unsigned half = __ballot_sync(0xffffu, 1);
    if (threadIdx.x == 0) out[4] = half;
  }
  if (threadIdx.x != 0) return;
  out[0] = ballot;
  out[1] = static_cast<unsigned>(any);
  out[2] = static_cast<unsigned>(all);
  out[3] = static_cast<unsigned>(count);
}

TEST(CudaOnHost, ballots_and_votes) {
  std::vector<unsigned> out(5);
  launch(votes, {1, 1, 1}, {32, 1, 1}, 0, out.data());
  EXPECT_EQ(out, (std::vector<unsigned>{0x49249249u, 1, 0, 7, 0xffffu}));
}

__global__ void count_odd(const int* x, int* total, int* largest) {
  MB_DYNAMIC_SHARED(int, odd);
  odd[threadIdx.x] = x[threadIdx.x] % 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < blockDim.x; ++i) atomicAdd(total, odd[i]);
  }
  atomicMax(largest, x[threadIdx.x]);
}

TEST(CudaOnHost, dynamic_shared_memory_and_atomics) {
  std::vector<int> x{1, 2, 3, 5, 8};
  int total = 0;
  int largest = 0;
  launch(count_odd, {1, 1, 1}, {5, 1, 1}, 5 * sizeof(int), x.data(), &total, &largest);
  EXPECT_EQ(total, 3);
  EXPECT_EQ(largest, 8);
}

__global__ void half_a_warp_shuffles(int* out) {
  if (threadIdx.x < 16) *out += __shfl_down_sync(~0u, 1, 1);
}

__global__ void one_thread_waits_in_another_place(int* out) {
  if (threadIdx.x == 0) {
    *out = __shfl_sync(~0u, 1, 0);
  } else {
    __syncthreads();
  }
}

__global__ void a_lane_outside_its_mask(int* out) {
  *out = __shfl_sync(1u, 1, 0);
}

TEST(CudaOnHost, divergence_is_an_error) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer does not follow an exception over fibres that longjmp";
#endif
  int out = 0;
  EXPECT_THROW(launch(half_a_warp_shuffles, {1, 1, 1}, {32, 1, 1}, 0, &out), Fault);
  EXPECT_THROW(launch(one_thread_waits_in_another_place, {1, 1, 1}, {64, 1, 1}, 0, &out),
               Fault);
  EXPECT_THROW(launch(a_lane_outside_its_mask, {1, 1, 1}, {32, 1, 1}, 0, &out), Fault);
}

__global__ void early_return(int* out) {
  if (threadIdx.x % 2 == 1) return;
  __syncthreads();
  atomicAdd(out, 1);
}

TEST(CudaOnHost, returned_threads_do_not_hold_a_barrier) {
  int out = 0;
  launch(early_return, {1, 1, 1}, {64, 1, 1}, 0, &out);
  EXPECT_EQ(out, 32);
}

}  // namespace
