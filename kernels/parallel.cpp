#include "kernels/parallel.hpp"

#include <algorithm>
#include <utility>

namespace maskbench {

namespace {

// A tree has dozens of phases of some 100 us each, so a worker looks around a little before it
// sleeps.
constexpr int kSpins = 4000;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  try {
    for (int worker = 1; worker < std::max(threads, 1); ++worker) {
      team_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (...) {  // the system gives no more threads: those that run must end before this does
    dismiss();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  dismiss();
}

void ThreadPool::dismiss() {
  quit_ = true;
  ++job_;
  job_.notify_all();
  for (std::thread& thread : team_) thread.join();
}

void ThreadPool::work(int worker) {
  for (size_t task = next_++; task < tasks_; task = next_++) {
    try {
      (*fn_)(task, worker);
    } catch (...) {
      std::scoped_lock lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = tasks_;
    }
  }
}

void ThreadPool::serve(int worker) {
  unsigned seen = 0;
  while (!quit_) {
    for (int spin = 0; spin < kSpins && job_ == seen; ++spin) pause_cpu();
    job_.wait(seen);
    seen = job_;
    ++inside_;  // sequentially consistent: run() closes the job before it looks at inside_
    if (open_) work(worker);
    --inside_;
  }
}

void ThreadPool::run(size_t tasks, const Task& fn) {
  if (tasks <= 1 || team_.empty()) {
    for (size_t task = 0; task < tasks; ++task) fn(task, 0);
    return;
  }
  while (inside_ != 0) pause_cpu();  // a worker that came late to the last job
  fn_ = &fn;
  tasks_ = tasks;
  next_ = 0;
  open_ = true;
  ++job_;
  job_.notify_all();
  work(0);
  open_ = false;
  while (inside_ != 0) pause_cpu();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace maskbench
