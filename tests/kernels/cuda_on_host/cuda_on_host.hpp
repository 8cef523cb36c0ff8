#pragma once

// Runs CUDA kernel source under a host compiler: one fibre a thread, blocks one after another, so
// barriers, shuffles, ballots and shared memory behave as on a device, only slowly. A barrier or
// warp operation that some thread never reaches is an error, not a hang.
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cuda_on_host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct DivergenceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr unsigned kWarp = 32;
constexpr size_t kStack = size_t{64} << 10;

enum class Wait { kNothing, kBlockBarrier, kWarpMeeting, kDone };

struct Fibre {
  ucontext_t context{};  // to enter; later switches save no signal mask and make no system call
  jmp_buf resume{};
  bool entered = false;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStack);
  Index3 index;
  unsigned linear = 0;
  Wait wait = Wait::kNothing;
  unsigned mask = 0;     // of the warp operation it waits in
  uint64_t offered = 0;  // what it brings to it
  int block_vote = 0;
};

// In which order warps run. Each runs as far ahead of the others as barriers let it, so a missing
// barrier shows: forward the first warps read too early, backward the last ones do.
enum class Order { kForward, kBackward };

inline Order& order() {
  static Order value = Order::kForward;
  return value;
}

// The one block that runs now.
class Block {
 public:
  static Block*& current() {
    static Block* block = nullptr;
    return block;
  }

  Block(Dim3 grid, Dim3 block, size_t dynamic_shared)
      : grid_dim(grid),
        block_dim(block),
        fibres_(size_t{block.x} * block.y * block.z),
        exchanged_(fibres_.size() + kWarp),
        dynamic_(dynamic_shared) {}

  void run(Index3 at, const std::function<void()>& body) {
    block_index = at;
    body_ = &body;
    current() = this;
    for (unsigned i = 0; i < fibres_.size(); ++i) start(i);
    while (step()) {
    }
    current() = nullptr;
  }

  Fibre& fibre() { return *running_; }
  std::byte* dynamic_shared() { return dynamic_.data(); }

  // All threads of the block that have not returned meet here; returns how many voted.
  int sync_block(int vote) {
    running_->block_vote = vote;
    block_on(Wait::kBlockBarrier);
    return votes_;
  }

  // All lanes of the mask meet here; returns what each of them offered (only those count).
  const uint64_t* sync_warp(unsigned mask, uint64_t offered) {
    const unsigned lane = running_->linear % kWarp;
    if ((mask >> lane & 1) == 0) throw DivergenceError("a lane is missing in its own mask");
    running_->mask = mask;
    running_->offered = offered;
    block_on(Wait::kWarpMeeting);
    return &exchanged_[running_->linear / kWarp * kWarp];
  }

  Dim3 grid_dim;
  Dim3 block_dim;
  Index3 block_index;

 private:
  static void enter() {
    Block& block = *current();
    for (;;) {  // a fibre serves one thread of each block
      try {
        (*block.body_)();
      } catch (...) {
        block.error_ = std::current_exception();
      }
      block.block_on(Wait::kDone);
    }
  }

  void start(unsigned i) {
    Fibre& f = fibres_[i];
    f.linear = i;
    f.index = {i % block_dim.x, i / block_dim.x % block_dim.y, i / (block_dim.x * block_dim.y)};
    f.wait = Wait::kNothing;
    if (f.entered) return;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get();
    f.context.uc_stack.ss_size = kStack;
    f.context.uc_link = nullptr;
    makecontext(&f.context, enter, 0);
  }

  void block_on(Wait why) {
    running_->wait = why;
    if (_setjmp(running_->resume) == 0) _longjmp(scheduler_, 1);
  }

  void resume(Fibre& f) {
    running_ = &f;
    if (_setjmp(scheduler_) == 0) {
      if (f.entered) _longjmp(f.resume, 1);
      f.entered = true;
      setcontext(&f.context);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  // Runs every warp until all its threads wait for the block, then opens the barrier. False when
  // all have returned.
  bool step() {
    const size_t warps = (fibres_.size() + kWarp - 1) / kWarp;
    for (size_t i = 0; i < warps; ++i) {
      const size_t warp = order() == Order::kForward ? i : warps - 1 - i;
      while (run_warp(warp * kWarp)) {
      }
    }
    if (open_block()) return true;
    for (const Fibre& f : fibres_) {
      if (f.wait != Wait::kDone) {
        throw DivergenceError("a barrier or warp operation is not reached by all its threads");
      }
    }
    return false;
  }

  bool run_warp(size_t first) {
    const size_t end = std::min(first + kWarp, fibres_.size());
    for (size_t i = first; i < end; ++i) {
      if (fibres_[i].wait == Wait::kNothing) resume(fibres_[i]);
    }
    return open_warp(first);
  }

  bool open_block() {
    int votes = 0;
    bool any = false;
    for (const Fibre& f : fibres_) {
      if (f.wait == Wait::kDone) continue;
      if (f.wait != Wait::kBlockBarrier) return false;
      any = true;
      votes += f.block_vote != 0;
    }
    if (!any) return false;
    votes_ = votes;
    for (Fibre& f : fibres_) {
      if (f.wait == Wait::kBlockBarrier) f.wait = Wait::kNothing;
    }
    return true;
  }

  bool open_warp(size_t first) {
    const size_t lanes = std::min<size_t>(kWarp, fibres_.size() - first);
    bool opened = false;
    for (size_t lane = 0; lane < lanes; ++lane) {
      const Fibre& f = fibres_[first + lane];
      if (f.wait == Wait::kWarpMeeting && all_wait(first, lanes, f.mask)) {
        exchange(first, f.mask);
        opened = true;
      }
    }
    return opened;
  }

  bool all_wait(size_t first, size_t lanes, unsigned mask) const {
    for (size_t lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      if (lane >= lanes) return false;
      const Fibre& f = fibres_[first + lane];
      if (f.wait != Wait::kWarpMeeting || f.mask != mask) return false;
    }
    return true;
  }

  // Lanes resume all together before the warp meets again, so one copy for the warp is enough.
  void exchange(size_t first, unsigned mask) {
    for (size_t lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      exchanged_[first + lane] = fibres_[first + lane].offered;
      fibres_[first + lane].wait = Wait::kNothing;
    }
  }

  std::vector<Fibre> fibres_;
  std::vector<uint64_t> exchanged_;
  std::vector<std::byte> dynamic_;
  Fibre* running_ = nullptr;
  jmp_buf scheduler_{};
  const std::function<void()>* body_ = nullptr;
  std::exception_ptr error_;
  int votes_ = 0;
};

template <class Kernel, class... Args>
void launch(Kernel kernel, Dim3 grid, Dim3 block, size_t dynamic_shared, Args... args) {
  Block state(grid, block, dynamic_shared);
  const std::function<void()> body = [&] { kernel(args...); };
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) state.run({x, y, z}, body);
    }
  }
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

inline unsigned lane() {
  return Block::current()->fibre().linear % kWarp;
}

// The value of another lane; a source outside the segment or the mask gives the lane its own.
template <class T>
T shuffle(unsigned mask, T value, int source, int width, bool in_segment) {
  const uint64_t* all = Block::current()->sync_warp(mask, pack(value));
  const int base = static_cast<int>(lane()) / width * width;
  const int from = in_segment ? base + source : static_cast<int>(lane());
  return unpack<T>(all[mask >> from & 1 ? from : static_cast<int>(lane())]);
}

}  // namespace cuda_on_host

#define __global__ inline
#define __device__
#define __host__
#define __shared__ static  // blocks run one after another, so one copy is the block's own
#define __forceinline__ inline
#define __launch_bounds__(...)
#define threadIdx (cuda_on_host::Block::current()->fibre().index)
#define blockIdx (cuda_on_host::Block::current()->block_index)
#define blockDim (cuda_on_host::Block::current()->block_dim)
#define gridDim (cuda_on_host::Block::current()->grid_dim)
// For `extern __shared__ T name[]`, which the host cannot declare.
#define MB_DYNAMIC_SHARED(T, name) \
  T* name = reinterpret_cast<T*>(cuda_on_host::Block::current()->dynamic_shared())

inline void __syncthreads() {
  cuda_on_host::Block::current()->sync_block(0);
}
inline int __syncthreads_count(int vote) {
  return cuda_on_host::Block::current()->sync_block(vote);
}
inline int __syncthreads_or(int vote) {
  return __syncthreads_count(vote) > 0;
}
inline void __syncwarp(unsigned mask = ~0u) {
  cuda_on_host::Block::current()->sync_warp(mask, 0);
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
  const uint64_t* all = cuda_on_host::Block::current()->sync_warp(mask, predicate != 0);
  unsigned ballot = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) ballot |= static_cast<unsigned>(all[lane]) << lane;
  }
  return ballot;
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
  const T old = *address;
  *address = old + value;
  return old;
}
template <class T>
T atomicMax(T* address, T value) {
  const T old = *address;
  if (old < value) *address = value;
  return old;
}
template <class T>
T atomicMin(T* address, T value) {
  const T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T>
T atomicExch(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}
template <class T>
T atomicCAS(T* address, T expected, T value) {
  const T old = *address;
  if (old == expected) *address = value;
  return old;
}
