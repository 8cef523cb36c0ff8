#pragma once

// The Device of kernels/cuda/device_backend.hpp on the host: kernels run as fibres, work on streams
// runs late (lanes.hpp), all memory is watched (memory.hpp) and has a limit, so that running out of
// it can be tested. Include it before any .cuh.
// clang-format off
#include "tests/kernels/cuda_on_host/cuda_on_host.hpp"
// clang-format on

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/device_backend.hpp"
#include "tests/kernels/cuda_on_host/lanes.hpp"

namespace cuda_on_host {

// Bytes in use and allowed, shared by all copies of a device.
struct Memory {
  size_t limit = ~size_t{0};
  size_t used = 0;
  size_t* refusals = nullptr;  // counts allocations that did not fit
};

}  // namespace cuda_on_host

namespace maskbench::kernels::device {

// Allocated and freed in the order of its stream.
template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(size_t count, std::shared_ptr<cuda_on_host::Memory> memory,
             cuda_on_host::LaneHandle lane)
      : memory_(std::move(memory)), lane_(std::move(lane)), bytes_(count * sizeof(T)) {
    if (count == 0) return;
    data_ = cuda_on_host::make_device_memory(bytes_, "device memory");
    memory_->used += bytes_;
    cuda_on_host::enqueue(lane_, "an allocation", [at = data_] { cuda_on_host::give_birth(at); });
  }
  HostBuffer(HostBuffer&& other) noexcept { *this = std::move(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(lane_, other.lane_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~HostBuffer() {
    if (data_ == nullptr) return;
    memory_->used -= bytes_;
    cuda_on_host::enqueue_free(lane_, data_);
  }

  T* data() const { return reinterpret_cast<T*>(data_); }

 private:
  std::shared_ptr<cuda_on_host::Memory> memory_;
  cuda_on_host::LaneHandle lane_;
  size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Page-locked host memory, which kernels may write too. CUDA frees it when all is done that was
// queued.
template <class T>
class PinnedHost {
 public:
  PinnedHost() = default;
  PinnedHost(size_t count, cuda_on_host::LaneHandle lane) : lane_(std::move(lane)) {
    if (count == 0) return;
    data_ = cuda_on_host::make_device_memory(count * sizeof(T), "page-locked memory");
    cuda_on_host::give_birth(data_);
  }
  PinnedHost(PinnedHost&& other) noexcept { *this = std::move(other); }
  PinnedHost& operator=(PinnedHost&& other) noexcept {
    std::swap(lane_, other.lane_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~PinnedHost() {
    if (data_ != nullptr) cuda_on_host::enqueue_free(lane_, data_);
  }
  T* data() const { return reinterpret_cast<T*>(data_); }

 private:
  cuda_on_host::LaneHandle lane_;
  std::byte* data_ = nullptr;
};

class HostDevice {
 public:
  template <class T>
  using Buffer = HostBuffer<T>;
  template <class T>
  using Pinned = PinnedHost<T>;

  explicit HostDevice(
      std::shared_ptr<cuda_on_host::Memory> memory = std::make_shared<cuda_on_host::Memory>())
      : memory_(std::move(memory)) {}

  std::string name() const { return "cuda-on-host"; }
  size_t l2_bytes() const { return size_t{512} << 10; }
  struct Range {
    ~Range() {}  // a device would end the range here
  };
  Range range(const char*) const { return {}; }

  // What was given to the device so far, and whether all of it is done.
  uint64_t mark() const { return counts_->issued; }
  bool is_done(uint64_t mark) const { return mark <= counts_->done; }
  void finish() {
    cuda_on_host::synchronise(lane_);
    counts_->done = counts_->issued;
  }

  template <class T>
  Buffer<T> allocate(size_t count) {
    if (memory_->used + count * sizeof(T) > memory_->limit) {
      if (memory_->refusals != nullptr) ++*memory_->refusals;
      cuda_on_host::synchronise(lane_);  // a pool waits for what is queued before it gives up
      throw OutOfDeviceMemory(
          full_device(count * sizeof(T), memory_->limit - memory_->used, memory_->limit));
    }
    return Buffer<T>(count, memory_, lane_);
  }
  template <class T>
  Pinned<T> pinned(size_t count) {
    return Pinned<T>(count, lane_);
  }

  // Values of page-locked memory that kernels are about to write: poison until then.
  template <class T>
  void expect(std::span<T> values) {
    cuda_on_host::poison(values.data(), values.size_bytes());
  }
  template <class T>
  void copy_in(T* to, std::span<const T> from) {
    if (from.empty()) return;
    cuda_on_host::copy_in(lane_, reinterpret_cast<std::byte*>(to), std::as_bytes(from));
    ++counts_->issued;
  }
  template <class T>
  void copy_out(const T* from, std::span<T> to) {
    if (to.empty()) return;
    cuda_on_host::copy_out(lane_, reinterpret_cast<const std::byte*>(from),
                           std::as_writable_bytes(to), granule<T>());
    ++counts_->issued;
  }
  template <class T>
  void zero(T* to, size_t count) {
    cuda_on_host::enqueue(lane_, "zero", [to, count] {
      cuda_on_host::touch(to, count * sizeof(T), cuda_on_host::Use::kWrite);
      std::fill_n(to, count, T{});
    });
    ++counts_->issued;
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    if (grid_x == 0 || grid_y == 0) return;
    cuda_on_host::enqueue(lane_, "a kernel", [=] {
      cuda_on_host::launch(kernel, {grid_x, grid_y, 1}, {kThreads, 1, 1}, 0, args...);
    });
    ++counts_->issued;
  }

  void exclusive_scan(const uint32_t* in, uint32_t* out, size_t count) {
    cuda_on_host::enqueue(lane_, "a scan", [in, out, count] {
      cuda_on_host::touch(in, count * sizeof(uint32_t), cuda_on_host::Use::kRead);
      cuda_on_host::touch(out, count * sizeof(uint32_t), cuda_on_host::Use::kWrite);
      std::exclusive_scan(in, in + count, out, 0u);
    });
    ++counts_->issued;
  }

 private:
  // A struct with padding has bytes that nobody writes.
  template <class T>
  static constexpr size_t granule() {
    return std::is_class_v<T> ? alignof(T) : 1;
  }
  struct Counts {
    uint64_t issued = 0, done = 0;
  };

  std::shared_ptr<cuda_on_host::Memory> memory_;
  cuda_on_host::LaneHandle lane_ = cuda_on_host::make_lane();
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace maskbench::kernels::device

namespace cuda_on_host {
using maskbench::kernels::device::HostDevice;
}  // namespace cuda_on_host
