#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace maskbench {

// A fixed team of threads. run() hands out task numbers one by one; the calling thread takes part
// as worker 0. Results must not depend on which worker gets which task. run() must not be nested.
class ThreadPool {
 public:
  using Task = std::function<void(size_t task, int worker)>;

  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(team_.size()) + 1; }

  // Calls fn(task, worker) for every task in [0, tasks) and waits. The first exception is rethrown.
  void run(size_t tasks, const Task& fn);

 private:
  void work(int worker);
  void serve(int worker);
  void dismiss();

  std::vector<std::thread> team_;
  const Task* fn_ = nullptr;
  size_t tasks_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<bool> open_{false};  // may workers join the job?
  std::atomic<int> inside_{0};     // workers that look at the job just now
  std::atomic<unsigned> job_{0};   // counts jobs; workers sleep on it
  std::atomic<bool> quit_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace maskbench
