#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "baselines/paillier/limbs.hpp"

// Secrets leave no copy behind: keys, blinding and plaintexts live in memory that is wiped before
// it is given back. Not covered: registers and what GMP keeps on the stack while it draws primes.
namespace maskbench::paillier {

void wipe(void* memory, std::size_t bytes);  // never optimised away

template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}
  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    wipe(memory, count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

using Limbs = std::vector<Limb, WipingAllocator<Limb>>;

// An array on the stack that is wiped at the end of its scope.
template <std::size_t kLimbs>
class StackLimbs {
 public:
  StackLimbs() = default;
  ~StackLimbs() { wipe(limbs_, sizeof limbs_); }
  StackLimbs(const StackLimbs&) = delete;
  StackLimbs& operator=(const StackLimbs&) = delete;
  operator Limb*() { return limbs_; }

 private:
  Limb limbs_[kLimbs] = {};
};

// From the first call on GMP's numbers are wiped too when they are given back or grow.
void wipe_what_gmp_frees();

}  // namespace maskbench::paillier
