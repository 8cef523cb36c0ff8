#pragma once

#include <cuda_runtime.h>

#include <cub/device/device_scan.cuh>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/cuda/device_backend.hpp"
#include "kernels/trace.hpp"

namespace maskbench::kernels::device {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const std::string text = std::string("cuda: ") + what + ": " + cudaGetErrorString(status);
  cudaGetLastError();  // the error is reported here and must not surface again
  throw KernelError(text);
}

// One device of the process, shared by all that compute on it: one stream, in whose order
// everything happens, and the pool that freed memory goes back to.
class CudaContext {
 public:
  explicit CudaContext(int device) : device_(device) {
    use();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "find the memory pool");
    uint64_t all = ~uint64_t{0};  // the next training uses what this one gives back
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "keep the memory pool");
    check(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, device),
          "ask for the cache's size");
  }
  ~CudaContext() { cudaStreamDestroy(stream_); }
  CudaContext(const CudaContext&) = delete;

  // A thread's calls go to its current device; another context may have chosen another.
  void use() const { check(cudaSetDevice(device_), "choose the device"); }
  cudaStream_t stream() const {
    use();
    return stream_;
  }
  size_t l2_bytes() const { return static_cast<size_t>(l2_bytes_); }

  // A free that fails must be named as such, but a destructor cannot throw: the next call does.
  void freed(cudaError_t status) noexcept {
    if (status != cudaSuccess && free_error_ == cudaSuccess) free_error_ = status;
  }
  void check_frees() {
    check(std::exchange(free_error_, cudaSuccess), "free memory of an earlier call");
  }

  uint64_t issued = 0, done = 0;

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
  int l2_bytes_ = 0;
  cudaError_t free_error_ = cudaSuccess;
};

using ContextHandle = std::shared_ptr<CudaContext>;

// Device memory, allocated and freed in the order of the stream.
struct DeviceMemory {
  static cudaError_t allocate(void** data, size_t bytes, const CudaContext& context) {
    return cudaMallocAsync(data, bytes, context.stream());
  }
  static cudaError_t free(void* data, const CudaContext& context) {
    return cudaFreeAsync(data, context.stream());
  }
  static std::string full(size_t bytes) {
    size_t left = 0, all = 0;
    cudaMemGetInfo(&left, &all);
    return full_device(bytes, left, all);
  }
};

// Page-locked host memory: a copy from it or to it needs nobody to wait, and kernels can write it.
struct PinnedMemory {
  static cudaError_t allocate(void** data, size_t bytes, const CudaContext& context) {
    context.use();
    return cudaHostAlloc(data, bytes, cudaHostAllocMapped);
  }
  static cudaError_t free(void* data, const CudaContext&) {
    return cudaFreeHost(data);  // waits for copies under way
  }
  static std::string full(size_t bytes) {
    return "backend cuda: the system gives no " + std::to_string(bytes >> 20) +
           " MB of page-locked memory; run fewer processes (--workers) or take fewer rows";
  }
};

template <class T, class Memory>
class CudaBuffer {
 public:
  CudaBuffer() = default;
  CudaBuffer(size_t count, ContextHandle context) : context_(std::move(context)) {
    if (count == 0) return;
    const size_t bytes = count * sizeof(T);
    const cudaError_t status = Memory::allocate(reinterpret_cast<void**>(&data_), bytes, *context_);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // reported here
      throw OutOfDeviceMemory(Memory::full(bytes));
    }
    check(status, "allocate memory");
  }
  CudaBuffer(CudaBuffer&& other) noexcept { *this = std::move(other); }
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(context_, other.context_);
    return *this;
  }
  ~CudaBuffer() {
    if (data_ != nullptr) context_->freed(Memory::free(data_, *context_));
  }

  T* data() const { return data_; }

 private:
  ContextHandle context_;
  T* data_ = nullptr;
};

class CudaDevice {
 public:
  template <class T>
  using Buffer = CudaBuffer<T, DeviceMemory>;
  template <class T>
  using Pinned = CudaBuffer<T, PinnedMemory>;

  explicit CudaDevice(ContextHandle context) : context_(std::move(context)) {}

  // All of a process's work on a device goes through one context.
  static CudaDevice of(int device) {
    static std::mutex mutex;
    static std::map<int, std::weak_ptr<CudaContext>> contexts;
    const std::scoped_lock lock(mutex);
    ContextHandle context = contexts[device].lock();
    if (!context) contexts[device] = context = std::make_shared<CudaContext>(device);
    return CudaDevice(context);
  }

  std::string name() const { return "cuda"; }
  size_t l2_bytes() const { return context_->l2_bytes(); }
  trace::Range range(const char* phase) const { return trace::Range(phase); }

  // What was given to the device so far, and whether all of it is done.
  uint64_t mark() const { return context_->issued; }
  bool is_done(uint64_t mark) const { return mark <= context_->done; }
  void finish() {
    check(cudaStreamSynchronize(context_->stream()), "finish");
    context_->done = context_->issued;
    context_->check_frees();
  }

  template <class T>
  Buffer<T> allocate(size_t count) {
    context_->check_frees();
    return Buffer<T>(count, context_);
  }
  template <class T>
  Pinned<T> pinned(size_t count) {
    context_->check_frees();
    return Pinned<T>(count, context_);
  }

  // From page-locked memory that stays as it is until the copy is done.
  template <class T>
  void copy_in(T* to, std::span<const T> from) {
    if (from.empty()) return;
    const trace::Range copy("copy to device");
    check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          context_->stream()),
          "copy to the device");
    ++context_->issued;
  }
  // Kernels are about to write these values of page-locked memory; nobody needs to be told.
  template <class T>
  void expect(std::span<T>) {}
  // The values are there after finish().
  template <class T>
  void copy_out(const T* from, std::span<T> to) {
    if (to.empty()) return;
    const trace::Range copy("copy from device");
    check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost,
                          context_->stream()),
          "copy from the device");
    ++context_->issued;
  }
  template <class T>
  void zero(T* to, size_t count) {
    check(cudaMemsetAsync(to, 0, count * sizeof(T), context_->stream()), "clear memory");
    ++context_->issued;
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    if (grid_x == 0 || grid_y == 0) return;
    kernel<<<dim3(grid_x, grid_y), kThreads, 0, context_->stream()>>>(args...);
    check(cudaGetLastError(), "launch");
    ++context_->issued;
  }

  // CUB asks for the size of its temporary memory in a first call.
  void exclusive_scan(const uint32_t* in, uint32_t* out, size_t count) {
    size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count, context_->stream()),
          "plan a scan");
    std::byte* temporary = scan_room_->of(*this, bytes);
    check(cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, count, context_->stream()),
          "scan");
    ++context_->issued;
  }

 private:
  ContextHandle context_;
  std::shared_ptr<Room<CudaDevice, std::byte>> scan_room_ =
      std::make_shared<Room<CudaDevice, std::byte>>();
};

}  // namespace maskbench::kernels::device
