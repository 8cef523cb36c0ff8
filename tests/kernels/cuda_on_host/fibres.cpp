#include "tests/kernels/cuda_on_host/fibres.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tests/kernels/cuda_on_host/memory.hpp"

namespace cuda_on_host {
namespace {

constexpr unsigned kWarp = 32;
constexpr size_t kStack = size_t{64} << 10;

enum class Wait { kNothing, kBlockBarrier, kWarpMeeting, kDone };

struct Fibre {
  ucontext_t context{};  // to enter; later switches save no signal mask and make no system call
  jmp_buf resume{};
  bool entered = false;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStack);
  unsigned linear = 0;
  Wait wait = Wait::kNothing;
  unsigned mask = 0;       // of the warp operation it waits in
  bool is_memory = false;  // whether that operation orders memory
  uint64_t offered = 0;    // what it brings to it
  int block_vote = 0;
  uint32_t epoch = 1;
  uint32_t met[kWarp] = {};  // of each lane of its warp: the last epoch that this one has seen
};

class Block;
Block* running_block = nullptr;
Order chosen_order = Order::kForward;
uint32_t blocks_run = 0;

// The one block that runs now.
class Block {
 public:
  Block(Dim3 grid, Dim3 block, size_t dynamic_shared)
      : grid_dim(grid),
        block_dim(block),
        fibres_(size_t{block.x} * block.y * block.z),
        exchanged_(fibres_.size() + kWarp),
        dynamic_(dynamic_shared) {}

  void run(Index3 at, const Body& body) {
    block_index = at;
    body_ = &body;
    number = ++blocks_run;
    barriers = 0;
    running_block = this;
    for (unsigned i = 0; i < fibres_.size(); ++i) start(i);
    while (step()) {
    }
    running_block = nullptr;
  }

  Fibre& fibre() { return *running_; }
  bool is_inside() const { return running_ != nullptr; }
  void* dynamic_shared() { return dynamic_.data(); }

  int meet_block(int vote) {
    running_->block_vote = vote;
    block_on(Wait::kBlockBarrier);
    return votes_;
  }

  const uint64_t* meet_warp(unsigned mask, uint64_t offered, bool is_memory) {
    const unsigned lane = running_->linear % kWarp;
    if ((mask >> lane & 1) == 0) {
      keep(Fault(Wrong::kDivergence, "a lane is missing in its own mask"));
      leave();
    }
    running_->mask = mask;
    running_->offered = offered;
    running_->is_memory = is_memory;
    block_on(Wait::kWarpMeeting);
    return &exchanged_[running_->linear / kWarp * kWarp];
  }

  void keep(const Fault& fault) { fault_ = fault; }
  [[noreturn]] void leave() { _longjmp(scheduler_, 1); }

  Dim3 grid_dim;
  Dim3 block_dim;
  Index3 block_index;
  uint32_t number = 0;
  uint32_t barriers = 0;

 private:
  static void enter() {
    Block& block = *running_block;
    for (;;) {  // a fibre serves one thread of each block
      block.body_->call(block.body_->context);
      block.block_on(Wait::kDone);
    }
  }

  void start(unsigned i) {
    Fibre& f = fibres_[i];
    f.linear = i;
    f.wait = Wait::kNothing;
    f.epoch = 1;
    std::fill(std::begin(f.met), std::end(f.met), 0u);
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
    running_ = nullptr;
    if (fault_) throw *fault_;
  }

  // Runs every warp until all its threads wait for the block, then opens the barrier. False when
  // all have returned.
  bool step() {
    const size_t warps = (fibres_.size() + kWarp - 1) / kWarp;
    for (size_t i = 0; i < warps; ++i) {
      const size_t warp = chosen_order == Order::kForward ? i : warps - 1 - i;
      while (run_warp(warp * kWarp)) {
      }
    }
    if (open_block()) return true;
    for (const Fibre& f : fibres_) {
      if (f.wait != Wait::kDone) {
        throw Fault(Wrong::kDivergence,
                    "a barrier or warp operation is not reached by all its threads");
      }
    }
    return false;
  }

  bool run_warp(size_t first) {
    const size_t lanes = std::min<size_t>(kWarp, fibres_.size() - first);
    for (size_t i = 0; i < lanes; ++i) {
      Fibre& f = fibres_[first + (chosen_order == Order::kForward ? i : lanes - 1 - i)];
      if (f.wait == Wait::kNothing) resume(f);
    }
    return open_warp(first, lanes);
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
    ++barriers;
    for (Fibre& f : fibres_) {
      if (f.wait == Wait::kBlockBarrier) f.wait = Wait::kNothing;
    }
    return true;
  }

  bool open_warp(size_t first, size_t lanes) {
    bool opened = false;
    for (size_t lane = 0; lane < lanes; ++lane) {
      const Fibre& f = fibres_[first + lane];
      if (f.wait == Wait::kWarpMeeting && all_wait(first, lanes, f.mask)) {
        if (f.is_memory) join(first, f.mask);
        exchange_values(first, f.mask);
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

  // A warp barrier: all lanes of the mask know what any of them knows (vector clocks).
  void join(size_t first, unsigned mask) {
    uint32_t known[kWarp] = {};
    for (size_t lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const Fibre& f = fibres_[first + lane];
      for (size_t other = 0; other < kWarp; ++other) {
        known[other] = std::max(known[other], f.met[other]);
      }
      known[lane] = std::max(known[lane], f.epoch);
    }
    for (size_t lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      Fibre& f = fibres_[first + lane];
      std::copy(std::begin(known), std::end(known), f.met);
      ++f.epoch;
    }
  }

  // Lanes resume all together before the warp meets again, so one copy for the warp is enough.
  void exchange_values(size_t first, unsigned mask) {
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
  const Body* body_ = nullptr;
  std::optional<Fault> fault_;
  int votes_ = 0;
};

Index3 index_of(unsigned linear, Dim3 block) {
  return {linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
}

}  // namespace

void run_in(Order order) {
  chosen_order = order;
}

void run_grid(Dim3 grid, Dim3 block, size_t dynamic_shared, const Body& body) {
  Block state(grid, block, dynamic_shared);
  struct Leave {
    ~Leave() { running_block = nullptr; }
  } leave;
  const SharedRange range(state.dynamic_shared(), dynamic_shared);
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        range.poison();
        state.run({x, y, z}, body);
      }
    }
  }
}

Index3 thread_index() {
  return index_of(running_block->fibre().linear, running_block->block_dim);
}
Index3 block_index() {
  return running_block->block_index;
}
Dim3 block_dim() {
  return running_block->block_dim;
}
Dim3 grid_dim() {
  return running_block->grid_dim;
}
unsigned lane() {
  return running_block->fibre().linear % kWarp;
}
void* dynamic_shared() {
  return running_block->dynamic_shared();
}

int sync_block(int vote) {
  return running_block->meet_block(vote);
}
void sync_warp(unsigned mask) {
  running_block->meet_warp(mask, 0, true);
}
uint64_t exchange(unsigned mask, uint64_t offered, unsigned from) {
  return running_block->meet_warp(mask, offered, false)[mask >> from & 1 ? from : lane()];
}
unsigned ballot(unsigned mask, bool vote) {
  const uint64_t* all = running_block->meet_warp(mask, vote, false);
  unsigned result = 0;
  for (unsigned i = 0; i < kWarp; ++i) {
    if (mask >> i & 1) result |= static_cast<unsigned>(all[i]) << i;
  }
  return result;
}

bool in_kernel() {
  return running_block != nullptr && running_block->is_inside();
}
Accessor accessor() {
  const Fibre& f = running_block->fibre();
  return {running_block->number, running_block->barriers, f.linear, f.epoch};
}
bool has_met(uint32_t thread, uint32_t epoch) {
  const Fibre& f = running_block->fibre();
  return thread / kWarp == f.linear / kWarp && f.met[thread % kWarp] >= epoch;
}
bool on_own_stack(const void* address) {
  const char* stack = running_block->fibre().stack.get();
  return address >= stack && address < stack + kStack;
}
void keep(const Fault& fault) {
  running_block->keep(fault);
}
void leave_grid() {
  running_block->leave();
}

}  // namespace cuda_on_host
