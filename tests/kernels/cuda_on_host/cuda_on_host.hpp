#pragma once

// CUDA's words for a host compiler: with this header before it, kernel source compiles as C++, and
// its threads run as fibres (fibres.hpp) on memory that is watched (memory.hpp).
#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "tests/kernels/cuda_on_host/fibres.hpp"
#include "tests/kernels/cuda_on_host/memory.hpp"

// Kernels that run as fibres live in a namespace of their own: a build with CUDA also links nvcc's
// versions of the same names.
#ifndef device
#define device device_on_host
#endif

namespace cuda_on_host {

template <class Kernel, class... Args>
void launch(Kernel kernel, Dim3 grid, Dim3 block, size_t dynamic_shared, Args... args) {
  using Call = std::tuple<Kernel, Args...>;
  const Call call{kernel, args...};
  const ConstantRange arguments(&call, sizeof call);
  run_grid(grid, block, dynamic_shared,
           {[](const void* context) {
              std::apply([](Kernel run, Args... with) { run(with...); },
                         *static_cast<const Call*>(context));
            },
            &call});
}

template <class T>
uint64_t pack(T value) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T unpack(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The value of another lane; a source outside the segment or the mask gives the lane its own.
template <class T>
T shuffle(unsigned mask, T value, int source, int width, bool in_segment) {
  const auto mine = static_cast<int>(lane());
  const int from = in_segment ? mine / width * width + source : mine;
  return unpack<T>(exchange(mask, pack(value), static_cast<unsigned>(from)));
}

// Reads, changes and writes at once; returns what was there.
template <class T, class Change>
__attribute__((noinline, no_sanitize("thread"))) T atomic(T* address, Change change) {
  note_atomic(address, sizeof(T));
  const T old = *address;
  *address = change(old);
  return old;
}

}  // namespace cuda_on_host

#define __global__ inline
#define __device__
#define __host__
#define __shared__ static  // blocks run one after another, so one copy is the block's own
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define threadIdx (cuda_on_host::thread_index())
#define blockIdx (cuda_on_host::block_index())
#define blockDim (cuda_on_host::block_dim())
#define gridDim (cuda_on_host::grid_dim())
// For `extern __shared__ T name[]`, which the host cannot declare.
#define MB_DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(cuda_on_host::dynamic_shared())

inline void __syncthreads() {
  cuda_on_host::sync_block(0);
}
inline int __syncthreads_count(int vote) {
  return cuda_on_host::sync_block(vote);
}
inline int __syncthreads_or(int vote) {
  return __syncthreads_count(vote) > 0;
}
inline void __syncwarp(unsigned mask = ~0u) {
  cuda_on_host::sync_warp(mask);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return cuda_on_host::shuffle(mask, value, source & (width - 1), width, true);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int delta, int width = 32) {
  const int source = static_cast<int>(cuda_on_host::lane()) % width - delta;
  return cuda_on_host::shuffle(mask, value, source, width, source >= 0);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int delta, int width = 32) {
  const int source = static_cast<int>(cuda_on_host::lane()) % width + delta;
  return cuda_on_host::shuffle(mask, value, source, width, source < width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int source = static_cast<int>(cuda_on_host::lane()) % width ^ bits;
  return cuda_on_host::shuffle(mask, value, source, width, source < width);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return cuda_on_host::ballot(mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask;
}
inline int __popc(unsigned x) {
  return std::popcount(x);
}

template <class T>
T atomicAdd(T* address, T value) {
  return cuda_on_host::atomic(address, [&](T old) { return old + value; });
}
template <class T>
T atomicMax(T* address, T value) {
  return cuda_on_host::atomic(address, [&](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* address, T value) {
  return cuda_on_host::atomic(address, [&](T old) { return value < old ? value : old; });
}
template <class T>
T atomicExch(T* address, T value) {
  return cuda_on_host::atomic(address, [&](T) { return value; });
}
template <class T>
T atomicCAS(T* address, T expected, T value) {
  return cuda_on_host::atomic(address, [&](T old) { return old == expected ? value : old; });
}
