// The only file that knows MPI. Two-sided messages, because a one-sided counter at a rank that
// computes does not move on every network.
#include <fmt/format.h>
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/reason.hpp"
#include "harness/sweep/team.hpp"

namespace maskbench {
namespace {

enum Tag : int { kAsk = 1, kAnswer, kLeave };
constexpr long kNoMore = -1;
constexpr int kBegin = 1, kCalledOff = 0;

// MPI's own waiting burns a processor that a run could use.
void doze() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
void wait_dozing(MPI_Request& request) {
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) doze();
  }
}

void broadcast(int& value) {
  MPI_Request request;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_dozing(request);
}

class AskLeader : public WorkQueue {
 public:
  std::optional<size_t> next() override {
    MPI_Send(nullptr, 0, MPI_LONG, 0, kAsk, MPI_COMM_WORLD);
    long index = kNoMore;
    MPI_Request request;
    MPI_Irecv(&index, 1, MPI_LONG, 0, kAnswer, MPI_COMM_WORLD, &request);
    wait_dozing(request);
    return index == kNoMore ? std::nullopt : std::optional(static_cast<size_t>(index));
  }
};

class MpiTeam : public Team, private WorkQueue {
 public:
  MpiTeam() {
    take_gpu_of_rank();
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) throw Error("this MPI does not support threads");
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    place_ = {rank_in(MPI_COMM_WORLD), size_of(MPI_COMM_WORLD), rank_in(machine), size_of(machine)};
    MPI_Comm_free(&machine);
  }
  ~MpiTeam() override {
    if (place_.member == 0 && !begun_) {
      int call_off = kCalledOff;
      broadcast(call_off);
    }
    wait([] {});
    MPI_Finalize();
  }

  Place place() const override { return place_; }

  void follow(const Follow& follow) override {
    int word = kCalledOff;
    broadcast(word);
    if (word == kCalledOff) return;
    AskLeader queue;
    std::string words;
    try {
      follow(place_, queue);
    } catch (const std::exception& error) {
      words = reason_of(error);
    }
    MPI_Send(words.data(), static_cast<int>(words.size()), MPI_CHAR, 0, kLeave, MPI_COMM_WORLD);
  }

  WorkQueue& lead(std::vector<size_t> todo, const Follow&) override {
    todo_ = std::move(todo);
    begun_ = true;
    int begin = kBegin;
    broadcast(begin);
    present_ = place_.members - 1;
    server_ = std::thread([this] { serve(); });
    return *this;
  }

  std::vector<std::string> wait(const std::function<void()>& meanwhile) override {
    next_ = todo_.size();
    while (present_ > 0) {
      meanwhile();
      doze();
    }
    if (server_.joinable()) server_.join();
    return std::move(problems_);
  }

 private:
  static size_t rank_in(MPI_Comm group) {
    int rank = 0;
    MPI_Comm_rank(group, &rank);
    return static_cast<size_t>(rank);
  }
  static size_t size_of(MPI_Comm group) {
    int size = 0;
    MPI_Comm_size(group, &size);
    return static_cast<size_t>(size);
  }

  std::optional<size_t> next() override {
    const size_t position = next_++;
    return position < todo_.size() ? std::optional(todo_[position]) : std::nullopt;
  }

  // Answers the other ranks until all have left; meanwhile no other thread here calls MPI.
  void serve() {
    while (present_ > 0) {
      int waiting = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, &status);
      if (!waiting) {
        doze();
      } else if (status.MPI_TAG == kAsk) {
        MPI_Recv(nullptr, 0, MPI_LONG, status.MPI_SOURCE, kAsk, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const auto index = next();
        const long answer = index ? static_cast<long>(*index) : kNoMore;
        MPI_Send(&answer, 1, MPI_LONG, status.MPI_SOURCE, kAnswer, MPI_COMM_WORLD);
      } else {
        take_leave(status);
      }
    }
  }

  void take_leave(MPI_Status& status) {
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string words(static_cast<size_t>(length), '\0');
    MPI_Recv(words.data(), length, MPI_CHAR, status.MPI_SOURCE, kLeave, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (!words.empty())
      problems_.push_back(
          fmt::format("rank {} of {}: {}", status.MPI_SOURCE, place_.members, words));
    --present_;
  }

  Place place_;
  bool begun_ = false;
  std::vector<size_t> todo_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> present_ = 0;  // ranks that have not left
  std::thread server_;
  std::vector<std::string> problems_;  // the server's until it has ended
};

}  // namespace

std::unique_ptr<Team> mpi_team() {
  return std::make_unique<MpiTeam>();
}

bool built_with_mpi() {
  return true;
}

}  // namespace maskbench
