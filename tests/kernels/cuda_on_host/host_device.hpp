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

  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }

 private:
  std::shared_ptr<Memory> memory_;
  std::vector<unsigned char> bytes_;
};

class HostDevice {
 public:
  template <class T>
  using Buffer = HostBuffer<T>;

  explicit HostDevice(std::shared_ptr<Memory> memory = std::make_shared<Memory>())
      : memory_(std::move(memory)) {}

  std::string name() const { return "cuda-on-host"; }
  struct Range {
    ~Range() {}  // a device would end the range here
  };
  Range range(const char*) const { return {}; }
  void finish() {}
  void next_lane() {}

  template <class T>
  Buffer<T> allocate(size_t count) {
    if (memory_->used + count * sizeof(T) > memory_->limit) {
      if (memory_->refusals != nullptr) ++*memory_->refusals;
      throw maskbench::kernels::device::OutOfDeviceMemory("out of memory");
    }
    return Buffer<T>(count, memory_);
  }

  template <class T>
  Buffer<T> upload(std::span<const T> from) {
    Buffer<T> to = allocate<T>(from.size());
    copy_to(to, 0, from);
    return to;
  }

  template <class T>
  void copy_to(Buffer<T>& to, size_t at, std::span<const T> from) {
    std::copy(from.begin(), from.end(), to.data() + at);
  }

  template <class T>
  void fill(Buffer<T>& buffer, size_t count, T value) {
    std::fill_n(buffer.data(), count, value);
  }

  template <class T>
  void download(const Buffer<T>& from, std::span<T> to) {
    std::copy_n(from.data(), to.size(), to.begin());
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    cuda_on_host::launch(kernel, {grid_x, grid_y, 1}, {maskbench::kernels::device::kThreads, 1, 1},
                         0, args...);
  }

  void exclusive_scan(const Buffer<uint32_t>& in, Buffer<uint32_t>& out, size_t count) {
    std::exclusive_scan(in.data(), in.data() + count, out.data(), 0u);
  }

  size_t best_by_key(const Buffer<uint32_t>& keys, const Buffer<maskbench::BestCandidate>& in,
                     size_t count, Buffer<uint32_t>& out_keys,
                     Buffer<maskbench::BestCandidate>& out) {
    size_t runs = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i == 0 || keys.data()[i] != keys.data()[i - 1]) {
        out_keys.data()[runs] = keys.data()[i];
        out.data()[runs++] = in.data()[i];
      } else if (is_better(in.data()[i], out.data()[runs - 1])) {
        out.data()[runs - 1] = in.data()[i];
      }
    }
    return runs;
  }

 private:
  std::shared_ptr<Memory> memory_;
};

}  // namespace cuda_on_host
