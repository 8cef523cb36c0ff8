#pragma once

// A kernel's threads as fibres: one a thread, blocks one after another, so barriers, shuffles,
// ballots and shared memory behave as on a device, only slowly. A barrier or warp operation that
// some thread never reaches is an error, not a hang.
#include <cstddef>
#include <cstdint>

#include "tests/kernels/cuda_on_host/fault.hpp"

namespace cuda_on_host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// In which order warps run, and threads within a warp. Each runs as far ahead of the others as
// barriers let it, so a missing barrier shows in what is computed.
enum class Order { kForward, kBackward };
void run_in(Order order);

// A kernel with its arguments.
struct Body {
  void (*call)(const void*);
  const void* context;
};

// Runs a whole grid; throws the first Fault.
void run_grid(Dim3 grid, Dim3 block, size_t dynamic_shared, const Body& body);

// For the running thread. All of it returns values: kernels compiled with every access observed
// must not be seen to read the shim's own memory.
Index3 thread_index();
Index3 block_index();
Dim3 block_dim();
Dim3 grid_dim();
unsigned lane();
void* dynamic_shared();

// All threads of the block that have not returned meet here; returns how many voted.
int sync_block(int vote);
// The lanes of the mask meet here, and see each other's earlier writes.
void sync_warp(unsigned mask);
// They meet, and each gets what lane `from` offered. As CUDA's manual says of shuffles and votes,
// this orders no memory accesses.
uint64_t exchange(unsigned mask, uint64_t offered, unsigned from);
unsigned ballot(unsigned mask, bool vote);

// Who accesses memory, and what it knows of others: for the race detector.
struct Accessor {
  uint32_t block = 0;    // the run of a block, counted over all launches; 0: not a kernel
  uint32_t barrier = 0;  // block barriers passed
  uint32_t thread = 0;   // in the block
  uint32_t epoch = 0;    // warp barriers passed, and one
};
bool in_kernel();
Accessor accessor();
// Did the running thread meet `thread` of its own warp at a warp barrier after that epoch?
bool has_met(uint32_t thread, uint32_t epoch);
bool on_own_stack(const void* address);
// Keeps the fault that the grid is to end with; then leave_grid ends it and does not return. The
// thread's frames are left as they are: kernels have no destructors.
void keep(const Fault& fault);
[[noreturn]] void leave_grid();

}  // namespace cuda_on_host
