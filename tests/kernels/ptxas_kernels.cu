// Only the kernels, for ptxas to report on (tests/kernels/ptxas_report.py).
#include "kernels/cuda/sums.cuh"

namespace maskbench::kernels::device {
template __global__ void mask<int32_t>(MaskParams, const int32_t*, int32_t*, int32_t*);
template __global__ void mask<int64_t>(MaskParams, const int32_t*, int64_t*, int64_t*);
template __global__ void sum_masked<int32_t>(NoiseTask, const int32_t*, const int32_t*, int64_t*,
                                             int64_t*);
template __global__ void sum_masked<int64_t>(NoiseTask, const int64_t*, const int64_t*, int64_t*,
                                             int64_t*);
}  // namespace maskbench::kernels::device

#ifdef MASKBENCH_SPILL
// More live values than the registers that two blocks of 1024 threads leave: it must spill.
__global__ void __launch_bounds__(1024, 2) spills(const int* in, int* out) {
  int value[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) value[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int round = 0; round < in[0]; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) value[i] = value[i] * value[(i + 7) % 64] + round;
  }
#pragma unroll
  for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = value[i];
}
#endif
