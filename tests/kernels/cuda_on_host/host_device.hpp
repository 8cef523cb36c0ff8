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
    cuda_on_host::enqueue(lane_, "an allocation",
                          [at = data_] { cuda_on_host::give_birth(at); });
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

  T* data() { return reinterpret_cast<T*>(data_); }
  const T* data() const { return reinterpret_cast<const T*>(data_); }

 private:
  std::shared_ptr<cuda_on_host::Memory> memory_;
  cuda_on_host::LaneHandle lane_;
  size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

class HostDevice {
 public:
  template <class T>
  using Buffer = HostBuffer<T>;

  explicit HostDevice(
      std::shared_ptr<cuda_on_host::Memory> memory = std::make_shared<cuda_on_host::Memory>())
      : memory_(std::move(memory)) {}

  std::string name() const { return "cuda-on-host"; }
  struct Range {
    ~Range() {}  // a device would end the range here
  };
  Range range(const char*) const { return {}; }
  void next_lane() { lane_ = 1 - lane_; }
  void finish() {
    for (const auto& lane : lanes_) cuda_on_host::synchronise(lane);
  }

  template <class T>
  Buffer<T> allocate(size_t count) {
    if (memory_->used + count * sizeof(T) > memory_->limit) {
      if (memory_->refusals != nullptr) ++*memory_->refusals;
      cuda_on_host::synchronise(lane());  // a pool waits for what is queued before it gives up
      throw OutOfDeviceMemory("out of memory");
    }
    return Buffer<T>(count, memory_, lane());
  }

  template <class T>
  Buffer<T> upload(std::span<const T> from) {
    Buffer<T> to = allocate<T>(from.size());
    copy_to(to, 0, from);
    return to;
  }

  template <class T>
  void copy_to(Buffer<T>& to, size_t at, std::span<const T> from) {
    if (from.empty()) return;
    cuda_on_host::copy_in(lane(), reinterpret_cast<std::byte*>(to.data() + at),
                          std::as_bytes(from));
  }

  template <class T>
  void fill(Buffer<T>& buffer, size_t count, T value) {
    cuda_on_host::enqueue(lane(), "fill", [to = buffer.data(), count, value] {
      cuda_on_host::touch(to, count * sizeof(T), cuda_on_host::Use::kWrite);
      std::fill_n(to, count, value);
    });
  }

  template <class T>
  void download(const Buffer<T>& from, std::span<T> to) {
    if (to.empty()) return;
    cuda_on_host::copy_out(lane(), reinterpret_cast<const std::byte*>(from.data()),
                           std::as_writable_bytes(to), granule<T>());
    cuda_on_host::synchronise(lane());
  }

  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    cuda_on_host::enqueue(lane(), "a kernel", [=] {
      cuda_on_host::launch(kernel, {grid_x, grid_y, 1}, {kThreads, 1, 1}, 0, args...);
    });
  }

  void exclusive_scan(const Buffer<uint32_t>& in, Buffer<uint32_t>& out, size_t count) {
    cuda_on_host::enqueue(lane(), "a scan", [from = in.data(), to = out.data(), count] {
      cuda_on_host::touch(from, count * sizeof(uint32_t), cuda_on_host::Use::kRead);
      cuda_on_host::touch(to, count * sizeof(uint32_t), cuda_on_host::Use::kWrite);
      std::exclusive_scan(from, from + count, to, 0u);
    });
  }

  size_t best_by_key(const Buffer<uint32_t>& keys, const Buffer<BestCandidate>& in, size_t count,
                     Buffer<uint32_t>& out_keys, Buffer<BestCandidate>& out) {
    auto runs = std::make_shared<size_t>(0);
    cuda_on_host::enqueue(lane(), "a reduction by key",
                          [=, key = keys.data(), from = in.data(), to_key = out_keys.data(),
                           to = out.data()] { *runs = reduce(key, from, count, to_key, to); });
    cuda_on_host::synchronise(lane());
    return *runs;
  }

 private:
  // A struct with padding has bytes that nobody writes.
  template <class T>
  static constexpr size_t granule() {
    return std::is_class_v<T> ? alignof(T) : 1;
  }

  static size_t reduce(const uint32_t* keys, const BestCandidate* in, size_t count,
                       uint32_t* out_keys, BestCandidate* out) {
    using cuda_on_host::Use;
    cuda_on_host::touch(keys, count * sizeof *keys, Use::kRead);
    cuda_on_host::touch(in, count * sizeof *in, Use::kRead, granule<BestCandidate>());
    size_t runs = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        out_keys[runs] = keys[i];
        out[runs++] = in[i];
      } else if (is_better(in[i], out[runs - 1])) {
        out[runs - 1] = in[i];
      }
    }
    cuda_on_host::touch(out_keys, runs * sizeof *out_keys, Use::kWrite);
    cuda_on_host::touch(out, runs * sizeof *out, Use::kWrite);
    return runs;
  }

  const cuda_on_host::LaneHandle& lane() const { return lanes_[lane_]; }

  std::shared_ptr<cuda_on_host::Memory> memory_;
  cuda_on_host::LaneHandle lanes_[2] = {cuda_on_host::make_lane(), cuda_on_host::make_lane()};
  int lane_ = 0;
};

}  // namespace maskbench::kernels::device

namespace cuda_on_host {
using maskbench::kernels::device::HostDevice;
}  // namespace cuda_on_host
