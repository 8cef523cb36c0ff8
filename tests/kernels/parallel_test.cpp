#include "kernels/parallel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace maskbench {
namespace {

TEST(ThreadPool, runs_every_task_once_for_any_team) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (size_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<int> calls(tasks, 0);
      pool.run(tasks, [&](size_t task, int) { ++calls[task]; });
      EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), size_t{0}), tasks);
      for (int c : calls) EXPECT_EQ(c, 1);
    }
  }
}

TEST(ThreadPool, worker_numbers_index_private_memory) {
  ThreadPool pool(3);
  std::vector<long> partial(3, 0);
  for (int job = 0; job < 2000; ++job) {
    pool.run(50, [&](size_t task, int worker) { partial[worker] += static_cast<long>(task); });
  }
  EXPECT_EQ(partial[0] + partial[1] + partial[2], 2000L * 49 * 50 / 2);
}

TEST(ThreadPool, rethrows_and_stays_usable) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(100,
                        [](size_t t, int) {
                          if (t == 42) throw std::runtime_error("42");
                        }),
               std::runtime_error);
  std::atomic<int> done = 0;
  pool.run(10, [&](size_t, int) { ++done; });
  EXPECT_EQ(done, 10);
}

}  // namespace
}  // namespace maskbench
