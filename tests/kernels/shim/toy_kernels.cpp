// Small kernels, each right or wrong in one way, with every access observed (setup.cmake).
#include "tests/kernels/shim/toy_kernels.hpp"

#include "tests/kernels/cuda_on_host/cuda_on_host.hpp"
#include "tests/kernels/cuda_on_host/lanes.hpp"

namespace cuda_on_host::toy {
namespace {

#define MB_SHARED(T, name) auto& name = cuda_on_host::shared<T>([] {}, #name)

void exchange_by_barrier(int* out) {
  MB_SHARED(int[64], box);
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = box[63 - threadIdx.x];
}
void exchange_without_barrier(int* out) {
  MB_SHARED(int[64], box);
  box[threadIdx.x] = 0;
  __syncthreads();
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[64 * blockIdx.x + threadIdx.x] = box[63 - threadIdx.x];
}
void exchange_by_warp_barrier(int* out) {
  MB_SHARED(int[64], box);
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[64 * blockIdx.x + threadIdx.x] = box[threadIdx.x ^ 1];
}
void exchange_by_shuffle(int* out) {  // a shuffle orders no memory
  MB_SHARED(int[64], box);
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  __shfl_sync(~0u, 1, 0);
  out[64 * blockIdx.x + threadIdx.x] = box[threadIdx.x ^ 1];
}
void exchange_across_warps(int* out) {  // a warp's barrier does not order the other warp
  MB_SHARED(int[64], box);
  box[threadIdx.x] = 0;
  __syncthreads();
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[64 * blockIdx.x + threadIdx.x] = box[63 - threadIdx.x];
}
void write_after_read(int* out) {
  MB_SHARED(int[64], box);
  box[threadIdx.x] = 1;
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = box[0];
  if (threadIdx.x == 40) box[0] = 2;
}
void one_word_from_all(int* out) {
  out[0] = 5;
}
void atomics_of_all(int* out) {
  atomicAdd(&out[0], 1);
}
void atomic_and_plain(int* out) {
  atomicAdd(&out[0], 1);
  if (threadIdx.x == 3) out[1] = out[0];
}
void shared_of_an_earlier_block(int* out) {
  MB_SHARED(int[64], box);
  if (blockIdx.x == 0) box[threadIdx.x] = 1;
  out[64 * blockIdx.x + threadIdx.x] = box[threadIdx.x];
}
void past_a_shared_array(int* out) {
  MB_SHARED(int[64], box);
  box[threadIdx.x + 1] = 1;
  out[64 * blockIdx.x + threadIdx.x] = 1;
}
void past_the_buffer(int* out) {
  if (blockIdx.x == 1) out[64 * blockIdx.x + threadIdx.x + 1] = 1;
}

std::string verdict(void (*kernel)(int*)) {
  constexpr size_t kBytes = 128 * sizeof(int);
  const LaneHandle lane = make_lane();
  std::byte* memory = make_device_memory(kBytes, "toy");
  enqueue(lane, "an allocation", [=] { give_birth(memory); });
  enqueue(lane, "a fill", [=] {
    touch(memory, kBytes, Use::kWrite);
    std::memset(memory, 0, kBytes);
  });
  enqueue(lane, "a kernel", [=] {
    launch(kernel, {2, 1, 1}, {64, 1, 1}, 0, reinterpret_cast<int*>(memory));
  });
  try {
    synchronise(lane);
    return "nothing";
  } catch (const Fault& fault) {
    return name_of(fault.wrong);
  }
}

}  // namespace

std::vector<Toy> toys() {
  return {{"exchange_by_barrier", "nothing", [] { return verdict(exchange_by_barrier); }},
          {"exchange_without_barrier", "race", [] { return verdict(exchange_without_barrier); }},
          {"exchange_by_warp_barrier", "nothing", [] { return verdict(exchange_by_warp_barrier); }},
          {"exchange_by_shuffle", "race", [] { return verdict(exchange_by_shuffle); }},
          {"exchange_across_warps", "race", [] { return verdict(exchange_across_warps); }},
          {"write_after_read", "race", [] { return verdict(write_after_read); }},
          {"one_word_from_all", "race", [] { return verdict(one_word_from_all); }},
          {"atomics_of_all", "nothing", [] { return verdict(atomics_of_all); }},
          {"atomic_and_plain", "race", [] { return verdict(atomic_and_plain); }},
          {"shared_of_an_earlier_block", "uninitialised",
           [] { return verdict(shared_of_an_earlier_block); }},
          {"past_a_shared_array", "bounds", [] { return verdict(past_a_shared_array); }},
          {"past_the_buffer", "bounds", [] { return verdict(past_the_buffer); }}};
}

}  // namespace cuda_on_host::toy
