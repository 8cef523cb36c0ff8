#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/parallel.hpp"

namespace maskbench::paillier {

// fn(first, last) over [0, count) in blocks of at most `block`, on all threads.
template <class Fn>
void for_blocks(ThreadPool& pool, std::size_t count, std::size_t block, const Fn& fn) {
  pool.run((count + block - 1) / block,
           [&](std::size_t task, int) { fn(task * block, std::min(count, (task + 1) * block)); });
}

}  // namespace maskbench::paillier
