#pragma once

// The Device of kernels/cuda/device_backend.hpp on the host: kernels run as fibres, and memory has
// a limit so that running out of it can be tested. Include the shim before any .cuh.
// clang-format off
#include "tests/kernels/cuda_on_host/cuda_on_host.hpp"
// clang-format on

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/device_backend.hpp"

namespace cuda_on_host {

// Bytes in use and allowed, shared by all copies of a device.
struct Memory {
  size_t limit = ~size_t{0};
  size_t used = 0;
  size_t* refusals = nullptr;  // counts allocations that did not fit
};

template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(size_t count, std::shared_ptr<Memory> memory)
      : memory_(std::move(memory)), bytes_(count * sizeof(T), 0xa5) {  // as if left over
    memory_->used += bytes_.size();
  }
  HostBuffer(HostBuffer&& other) noexcept { *this = std::move(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HostBuffer() {
    if (memory_) memory_->used -= bytes_.size();
  }

  T* data() const { return reinterpret_cast<T*>(const_cast<unsigned char*>(bytes_.data())); }

 private:
  std::shared_ptr<Memory> memory_;
  std::vector<unsigned char> bytes_;
};

class HostDevice {
 public:
  template <class T>
  using Buffer = HostBuffer<T>;
  template <class T>
  using Pinned = HostBuffer<T>;

  explicit HostDevice(std::shared_ptr<Memory> memory = std::make_shared<Memory>())
      : memory_(std::move(memory)) {}

  std::string name() const { return "cuda-on-host"; }
  size_t l2_bytes() const { return size_t{512} << 10; }
  struct Range {
    ~Range() {}  // a device would end the range here
  };
  Range range(const char*) const { return {}; }
  uint64_t mark() const { return 0; }
  bool is_done(uint64_t) const { return true; }
  void finish() {}

  template <class T>
  Buffer<T> allocate(size_t count) {
    if (memory_->used + count * sizeof(T) > memory_->limit) {
      if (memory_->refusals != nullptr) ++*memory_->refusals;
      throw maskbench::kernels::device::OutOfDeviceMemory("out of memory");
    }
    return Buffer<T>(count, memory_);
  }
  template <class T>
  Pinned<T> pinned(size_t count) {
    return Pinned<T>(count, std::make_shared<Memory>());
  }

  template <class T>
  void copy_in(T* to, std::span<const T> from) {
    if (from.empty()) return;
    std::memcpy(to, from.data(), from.size_bytes());
  }
  template <class T>
  void copy_out(const T* from, std::span<T> to) {
    if (to.empty()) return;
    std::memcpy(to.data(), from, to.size_bytes());
  }
  template <class T>
  void zero(T* to, size_t count) {
    std::memset(static_cast<void*>(to), 0, count * sizeof(T));
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    if (grid_x == 0 || grid_y == 0) return;
    cuda_on_host::launch(kernel, {grid_x, grid_y, 1}, {maskbench::kernels::device::kThreads, 1, 1},
                         0, args...);
  }

  void exclusive_scan(const uint32_t* in, uint32_t* out, size_t count) {
    std::exclusive_scan(in, in + count, out, 0u);
  }

 private:
  std::shared_ptr<Memory> memory_;
};

}  // namespace cuda_on_host
