#pragma once

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <cub/device/device_scan.cuh>
#include <memory>
#include <nvtx3/nvtx3.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/cuda/device_backend.hpp"

namespace maskbench::kernels::device {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const std::string text = std::string("cuda: ") + what + ": " + cudaGetErrorString(status);
  cudaGetLastError();  // the error is reported here and must not surface again
  if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(text);
  throw KernelError(text);
}

struct StreamDeleter {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using StreamHandle = std::shared_ptr<std::remove_pointer_t<cudaStream_t>>;

inline StreamHandle make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  return StreamHandle(stream, StreamDeleter());
}

// Device memory, allocated and freed in the order of its stream.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(size_t count, StreamHandle stream) : stream_(std::move(stream)) {
    if (count == 0) return;
    check(cudaMallocAsync(reinterpret_cast<void**>(&data_), count * sizeof(T), stream_.get()),
          "allocate device memory");
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_.get());
  }

  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  StreamHandle stream_;
  T* data_ = nullptr;
};

// Thrust takes its temporary memory from here, in the order of the stream.
struct StreamAllocator {
  using value_type = char;
  cudaStream_t stream;

  char* allocate(std::ptrdiff_t bytes) {
    void* data = nullptr;
    check(cudaMallocAsync(&data, static_cast<size_t>(bytes), stream), "allocate device memory");
    return static_cast<char*>(data);
  }
  void deallocate(char* data, size_t) { cudaFreeAsync(data, stream); }
};

struct Better {
  __host__ __device__ BestCandidate operator()(const BestCandidate& a,
                                               const BestCandidate& b) const {
    return is_better(b, a) ? b : a;
  }
};

// Work goes to one of two streams, so that one block of candidates is copied while the next one is
// computed (as far as the host memory is page-locked).
class CudaDevice {
 public:
  template <class T>
  using Buffer = DeviceBuffer<T>;

  explicit CudaDevice(int device) : device_(device) {
    use();
    for (StreamHandle& lane : lanes_) lane = make_stream();
  }

  std::string name() const { return "cuda"; }
  nvtx3::scoped_range range(const char* phase) const { return nvtx3::scoped_range{phase}; }
  void next_lane() { lane_ = 1 - lane_; }

  void finish() {
    use();
    for (const StreamHandle& lane : lanes_) check(cudaStreamSynchronize(lane.get()), "finish");
  }

  template <class T>
  Buffer<T> allocate(size_t count) {
    use();
    return Buffer<T>(count, lanes_[lane_]);
  }

  template <class T>
  Buffer<T> upload(std::span<const T> from) {
    Buffer<T> to = allocate<T>(from.size());
    copy_to(to, 0, from);
    return to;
  }

  template <class T>
  void copy_to(Buffer<T>& to, size_t at, std::span<const T> from) {
    const nvtx3::scoped_range copy{"copy to device"};
    if (from.empty()) return;
    check(cudaMemcpyAsync(to.data() + at, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          stream()),
          "copy to the device");
  }

  template <class T>
  void fill(Buffer<T>& buffer, size_t count, T value) {
    with_thrust("fill",
                [&](const auto& policy) { thrust::fill_n(policy, buffer.data(), count, value); });
  }

  template <class T>
  void download(const Buffer<T>& from, std::span<T> to) {
    const nvtx3::scoped_range copy{"copy from device"};
    if (to.empty()) return;
    check(
        cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost, stream()),
        "copy from the device");
    check(cudaStreamSynchronize(stream()), "copy from the device");
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    if (grid_x == 0 || grid_y == 0) return;
    kernel<<<dim3(grid_x, grid_y), kThreads, 0, stream()>>>(args...);
    check(cudaGetLastError(), "launch");
  }

  void exclusive_scan(const Buffer<uint32_t>& in, Buffer<uint32_t>& out, size_t count) {
    with_temporary([&](void* temporary, size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(temporary, bytes, in.data(), out.data(), count,
                                           stream());
    });
  }

  // The best of each run of equal keys, and its key; returns how many runs there are.
  size_t best_by_key(const Buffer<uint32_t>& keys, const Buffer<BestCandidate>& in, size_t count,
                     Buffer<uint32_t>& out_keys, Buffer<BestCandidate>& out) {
    size_t runs = 0;
    with_thrust("reduce by key", [&](const auto& policy) {
      const auto end = thrust::reduce_by_key(policy, keys.data(), keys.data() + count, in.data(),
                                             out_keys.data(), out.data(),
                                             thrust::equal_to<uint32_t>(), Better());
      runs = static_cast<size_t>(end.first - out_keys.data());
    });
    return runs;
  }

 private:
  // A thread's calls go to its current device; another backend may have chosen another.
  void use() const { check(cudaSetDevice(device_), "choose the device"); }
  cudaStream_t stream() const {
    use();
    return lanes_[lane_].get();
  }

  // Thrust's own errors become ours.
  template <class Work>
  void with_thrust(const char* what, Work work) {
    StreamAllocator allocator{stream()};
    try {
      work(thrust::cuda::par_nosync(allocator).on(allocator.stream));
    } catch (const thrust::system_error& error) {
      check(static_cast<cudaError_t>(error.code().value()), what);
      throw KernelError(std::string("cuda: ") + what + ": " + error.what());
    }
  }

  // CUB asks for its temporary memory in a first call.
  template <class Work>
  void with_temporary(Work work) {
    size_t bytes = 0;
    check(work(nullptr, bytes), "plan a reduction");
    Buffer<std::byte> temporary = allocate<std::byte>(bytes);
    check(work(temporary.data(), bytes), "reduce");
  }

  int device_;
  StreamHandle lanes_[2];
  int lane_ = 0;
};

}  // namespace maskbench::kernels::device
