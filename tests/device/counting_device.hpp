#pragma once

// The shim's device behind a layer that counts what it is asked for. Include it before any .cuh.
// clang-format off
#include "tests/kernels/cuda_on_host/host_device.hpp"
// clang-format on

#include <ctime>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace maskbench::counted {

struct Counts {
  size_t launches = 0;  // with memory that is cleared
  size_t copies = 0;
  size_t bytes = 0;  // of the copies, and of results that kernels write to the host
  size_t synchronisations = 0;
  size_t allocations = 0;
  size_t blocks = 0;  // of cells that were drawn or masked

  Counts operator-(const Counts& o) const {
    return {launches - o.launches,
            copies - o.copies,
            bytes - o.bytes,
            synchronisations - o.synchronisations,
            allocations - o.allocations,
            blocks - o.blocks};
  }
};

// Processor time of this process: what other work is on the machine does not count.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Shared by all copies of a device: a party's.
struct Log {
  size_t l2_bytes = size_t{512} << 10;
  Counts now;
  double shim_seconds = 0;    // spent in the device itself
  std::vector<Counts> begun;  // when each level did

  // What each level asked for.
  std::vector<Counts> levels() const {
    std::vector<Counts> out;
    for (size_t i = 0; i < begun.size(); ++i)
      out.push_back((i + 1 < begun.size() ? begun[i + 1] : now) - begun[i]);
    return out;
  }
};

class CountingDevice : public cuda_on_host::HostDevice {
 public:
  // A copy of the device of the process, with a party's log.
  CountingDevice(const HostDevice& device, std::shared_ptr<Log> log)
      : HostDevice(device), log_(std::move(log)) {}

  size_t l2_bytes() const { return log_->l2_bytes; }
  auto range(const char* phase) const {
    const std::string_view name = phase;
    if (name == "rows") log_->begun.push_back(log_->now);
    if (name == "noise" || name == "mask") ++log_->now.blocks;
    return HostDevice::range(phase);
  }
  void finish() {
    const Timed timed(*log_);
    ++log_->now.synchronisations;
    HostDevice::finish();
  }
  template <class T>
  auto allocate(size_t count) {
    const Timed timed(*log_);
    ++log_->now.allocations;
    return HostDevice::allocate<T>(count);
  }
  template <class T>
  auto pinned(size_t count) {
    const Timed timed(*log_);
    ++log_->now.allocations;
    return HostDevice::pinned<T>(count);
  }
  template <class T>
  void copy_in(T* to, std::span<const T> from) {
    if (from.empty()) return;
    const Timed timed(*log_);
    count_copy(from.size_bytes());
    HostDevice::copy_in(to, from);
  }
  template <class T>
  void expect(std::span<T> values) {
    const Timed timed(*log_);
    log_->now.bytes += values.size_bytes();
    HostDevice::expect(values);
  }
  template <class T>
  void copy_out(const T* from, std::span<T> to) {
    if (to.empty()) return;
    const Timed timed(*log_);
    count_copy(to.size_bytes());
    HostDevice::copy_out(from, to);
  }
  template <class T>
  void zero(T* to, size_t count) {
    const Timed timed(*log_);
    ++log_->now.launches;
    HostDevice::zero(to, count);
  }
  // A kernel that is null is counted and not run.
  template <class Kernel, class... Args>
  void launch(Kernel kernel, uint32_t grid_x, uint32_t grid_y, Args... args) {
    const Timed timed(*log_);
    if (grid_x != 0 && grid_y != 0) ++log_->now.launches;
    if (kernel != nullptr) HostDevice::launch(kernel, grid_x, grid_y, args...);
  }
  void exclusive_scan(const uint32_t* in, uint32_t* out, size_t count) {
    const Timed timed(*log_);
    log_->now.launches += 2;  // CUB's
    HostDevice::exclusive_scan(in, out, count);
  }

 private:
  // What the shim takes, a GPU or its driver would do instead.
  class Timed {
   public:
    explicit Timed(Log& log) : log_(log) {}
    ~Timed() { log_.shim_seconds += cpu_seconds() - begin_; }

   private:
    Log& log_;
    double begin_ = cpu_seconds();
  };
  void count_copy(size_t bytes) {
    ++log_->now.copies;
    log_->now.bytes += bytes;
  }

  std::shared_ptr<Log> log_;
};

}  // namespace maskbench::counted
