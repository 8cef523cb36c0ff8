#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/reason.hpp"
#include "harness/sweep/team.hpp"

namespace maskbench {
namespace {

constexpr size_t kMostText = 1000;

// What the forked processes have in common.
struct Shared {
  std::atomic<size_t> next = 0;  // position in the list of runs to do
  static_assert(std::atomic<size_t>::is_always_lock_free);
};

class LocalTeam : public Team, private WorkQueue {
 public:
  explicit LocalTeam(size_t workers) : workers_(workers) {
    memory_ = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw Error("the system gives no shared memory for --workers");
    shared_ = new (memory_) Shared;
  }
  ~LocalTeam() override {
    wait([] {});
    munmap(memory_, bytes());
  }

  Place place() const override { return {0, workers_, 0, workers_}; }
  void follow(const Follow&) override {}

  WorkQueue& lead(std::vector<size_t> todo, const Follow& follow) override {
    todo_ = std::move(todo);
    std::fflush(nullptr);  // or the others would print it again
    const pid_t leader = getpid();
    for (size_t member = 1; member < workers_; ++member) {
      const pid_t pid = fork();
      if (pid < 0)
        throw Error(fmt::format("cannot start worker {}: {}", member + 1, std::strerror(errno)));
      if (pid == 0) work_as(member, leader, follow);
      running_[pid] = member;
    }
    return *this;
  }

  std::vector<std::string> wait(const std::function<void()>& meanwhile) override {
    shared_->next = todo_.size();
    std::vector<std::string> problems;
    while (!running_.empty()) {
      std::erase_if(running_, [&](const auto& worker) {
        int status = 0;
        if (waitpid(worker.first, &status, WNOHANG) == 0) return false;
        if (status != 0) problems.push_back(problem(worker.second, status));
        return true;
      });
      meanwhile();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return problems;
  }

 private:
  size_t bytes() const { return sizeof(Shared) + workers_ * kMostText; }
  // Where a worker leaves its last words; all zero at first.
  char* words_of(size_t member) const {
    return static_cast<char*>(memory_) + sizeof(Shared) + member * kMostText;
  }

  std::optional<size_t> next() override {
    const size_t position = shared_->next++;
    return position < todo_.size() ? std::optional(todo_[position]) : std::nullopt;
  }

  [[noreturn]] void work_as(size_t member, pid_t leader, const Follow& follow) {
    // Nobody works on for a leader that was killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != leader) _exit(1);
    int code = 0;
    try {
      follow({member, workers_, member, workers_}, *this);
    } catch (const std::exception& error) {
      std::strncpy(words_of(member), reason_of(error).c_str(), kMostText - 1);
      code = 1;
    }
    _exit(code);
  }

  std::string problem(size_t member, int status) const {
    const std::string who = fmt::format("worker {} of {}", member + 1, workers_);
    if (WIFSIGNALED(status))
      return fmt::format("{} was ended by signal {} ({})", who, WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    const std::string words = words_of(member);
    return words.empty() ? fmt::format("{} ended with code {}", who, WEXITSTATUS(status))
                         : fmt::format("{}: {}", who, words);
  }

  size_t workers_;
  void* memory_ = nullptr;
  Shared* shared_ = nullptr;
  std::vector<size_t> todo_;
  std::map<pid_t, size_t> running_;
};

}  // namespace

std::unique_ptr<Team> local_team(size_t workers) {
  return std::make_unique<LocalTeam>(workers);
}

}  // namespace maskbench
