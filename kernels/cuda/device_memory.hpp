#pragma once

// Memory of a Device that lives through a training: it is allocated when it is first wanted, grows
// if it must, and is never given back in between.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cell_store.hpp"
#include "kernels/noise.hpp"

namespace maskbench::kernels::device {

struct OutOfDeviceMemory : KernelError {
  using KernelError::KernelError;
};

// Blocks of cells are as small as a candidate allows where they need to be, and far smaller than
// the bins: halving them would not save a training whose device is full. So this is the end.
inline std::string full_device(size_t bytes, size_t left, size_t all) {
  const auto mb = [](size_t b) { return std::to_string(b >> 20); };
  return "backend cuda: the device's memory is full: " + mb(bytes) + " MB more were asked for, " +
         mb(left) + " of " + mb(all) +
         " MB are free; run fewer processes on it (--workers), take fewer rows or features, set "
         "mode: fused, which stores no vectors, or backend: cpu";
}

// Room for so many values; what it held is lost when it grows.
template <class Device, class T>
class Room {
 public:
  T* of(Device& device, size_t count) {
    if (count > count_) {
      buffer_ = {};  // before the larger one is asked for
      buffer_ = device.template allocate<T>(count);
      count_ = count;
    }
    return buffer_.data();
  }
  T* data() { return buffer_.data(); }

 private:
  typename Device::template Buffer<T> buffer_;
  size_t count_ = 0;
};

// Descriptors on their way to the device: gathered in page-locked memory, where they stay until the
// copy is done, and sent with one copy. What was sent stays on the device until reset().
template <class Device>
class Stage {
 public:
  explicit Stage(Device& device) : device_(device) {}

  // At most so many bytes in so many parts are added before send().
  void begin(size_t bytes, size_t parts) {
    bytes += parts * kAlign;
    while (current_ < chunks_.size() && chunks_[current_].size - chunks_[current_].used < bytes)
      ++current_;
    if (current_ == chunks_.size()) {
      const size_t size = std::max(bytes, kChunk);
      chunks_.push_back({device_.template pinned<std::byte>(size),
                         device_.template allocate<std::byte>(size), size, 0});
    }
    first_ = chunks_[current_].used;
  }
  // Where it will be on the device.
  template <class T>
  const T* add(std::span<const T> values) {
    Chunk& chunk = chunks_[current_];
    const size_t at = chunk.used;
    if (!values.empty()) std::memcpy(chunk.host.data() + at, values.data(), values.size_bytes());
    chunk.used = (at + values.size_bytes() + kAlign - 1) / kAlign * kAlign;
    return reinterpret_cast<const T*>(chunk.device.data() + at);
  }
  template <class T>
  const T* add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }
  void send() {
    Chunk& chunk = chunks_[current_];
    device_.copy_in(chunk.device.data() + first_,
                    std::span<const std::byte>(chunk.host.data() + first_, chunk.used - first_));
    mark_ = device_.mark();
  }
  // Everything sent before is no longer wanted.
  void reset() {
    if (!device_.is_done(mark_)) device_.finish();
    for (Chunk& chunk : chunks_) chunk.used = 0;
    current_ = 0;
  }

 private:
  static constexpr size_t kAlign = 16;
  static constexpr size_t kChunk = size_t{1} << 20;
  struct Chunk {
    typename Device::template Pinned<std::byte> host;
    typename Device::template Buffer<std::byte> device;
    size_t size = 0;
    size_t used = 0;
  };

  Device& device_;
  std::vector<Chunk> chunks_;
  size_t current_ = 0;
  size_t first_ = 0;
  uint64_t mark_ = 0;
};

// Values that are copied as a whole, through page-locked memory: the source may go at once.
template <class Device, class T>
class Kept {
 public:
  const T* set(Device& device, std::span<const T> values) {
    if (values.size() > size_) {
      host_ = {};
      host_ = device.template pinned<T>(values.size());
      size_ = values.size();
    } else if (!device.is_done(mark_)) {
      device.finish();  // the last ones are still on their way
    }
    std::copy(values.begin(), values.end(), host_.data());
    T* to = room_.of(device, values.size());
    device.copy_in(to, std::span<const T>(host_.data(), values.size()));
    mark_ = device.mark();
    return to;
  }
  const T* data() { return room_.data(); }

 private:
  typename Device::template Pinned<T> host_;
  size_t size_ = 0;
  Room<Device, T> room_;
  uint64_t mark_ = 0;
};

// Results on their way to the host, in page-locked memory that kernels write themselves: no copy,
// and no synchronisation if another has waited for later work already.
template <class Device>
class Results {
 public:
  // Room for results of so many bytes, to be taken at the start of a training.
  void reserve(Device& device, size_t bytes) { room(device, bytes); }
  // Where the kernels that are launched next write so many.
  template <class T>
  T* expect(Device& device, size_t count) {
    T* to = reinterpret_cast<T*>(room(device, count * sizeof(T)));
    device.expect(std::span<T>(to, count));
    return to;
  }
  void launched(Device& device) { mark_ = device.mark(); }
  // They stay until the next ones.
  template <class T>
  std::span<const T> wait(Device& device, size_t count) {
    if (!device.is_done(mark_)) device.finish();
    return {reinterpret_cast<const T*>(host_.data()), count};
  }
  // Of values that lie on the device: one copy.
  template <class T>
  std::span<const T> fetch(Device& device, const T* from, size_t count) {
    std::byte* to = room(device, count * sizeof(T));
    device.copy_out(from, std::span<T>(reinterpret_cast<T*>(to), count));
    launched(device);
    return wait<T>(device, count);
  }

 private:
  std::byte* room(Device& device, size_t bytes) {
    if (bytes > size_) {
      host_ = {};
      host_ = device.template pinned<std::byte>(bytes);
      size_ = bytes;
    }
    return host_.data();
  }

  typename Device::template Pinned<std::byte> host_;
  size_t size_ = 0;
  uint64_t mark_ = 0;
};

// Blocks of cells, used again by the next one when their payload has been read.
template <class Device>
class CellPool {
 public:
  using Buffer = typename Device::template Buffer<std::byte>;

  // least: the size that all blocks are given at least, so that any fits any payload.
  std::unique_ptr<CellStore> store(Device& device, size_t bytes, size_t least) {
    for (auto free = free_->begin(); free != free_->end(); ++free) {
      if (free->size < bytes) continue;
      Block block = std::move(*free);
      free_->erase(free);
      return std::make_unique<Store>(device, std::move(block), free_);
    }
    const size_t size = std::max(bytes, least);
    return std::make_unique<Store>(device, Block{device.template allocate<std::byte>(size), size},
                                   free_);
  }

  static std::byte* data(CellStore* store) {
    return dynamic_cast<Store&>(*store).block.buffer.data();
  }

 private:
  struct Block {
    Buffer buffer;
    size_t size = 0;
  };
  using Blocks = std::deque<Block>;

  // Work is done in order, so a block may be written again as soon as it was read by work that is
  // only queued.
  struct Store final : CellStore {
    Store(Device& on, Block cells, std::shared_ptr<Blocks> back)
        : device(on), block(std::move(cells)), free(std::move(back)) {}
    ~Store() override { free->push_back(std::move(block)); }
    void read(std::span<std::byte> to) const override {
      device.copy_out(block.buffer.data(), to);
      device.finish();
    }
    mutable Device device;
    Block block;
    std::shared_ptr<Blocks> free;
  };

  std::shared_ptr<Blocks> free_ = std::make_shared<Blocks>();
};

}  // namespace maskbench::kernels::device
