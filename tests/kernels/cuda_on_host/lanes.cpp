#include "tests/kernels/cuda_on_host/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

#include "tests/kernels/cuda_on_host/memory.hpp"

namespace cuda_on_host {
namespace {

struct Operation {
  uint32_t lane = 0;
  uint32_t place = 0;  // on its lane, from 1
  std::string name;
};

struct Pending {
  uint32_t operation;
  Clock clock;  // what must be done before
  std::function<void()> work;
  std::function<void()> if_dropped;
};

void join(Clock& mine, const Clock& other) {
  if (mine.size() < other.size()) mine.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) mine[i] = std::max(mine[i], other[i]);
}

}  // namespace

class Lane {
 public:
  uint32_t number = 0;
  uint32_t queued = 0;
  uint32_t done = 0;
  Clock clock;  // of its last operation
  std::deque<Pending> pending;
};

namespace {

struct Schedule {
  std::vector<Operation> operations{1};  // operation 0 is none
  std::vector<Lane*> lanes;              // by number; null: free to be used again
  std::vector<uint32_t> queued;          // by number, over all its users
  Clock host;                            // what the host has waited for
  uint64_t seed = 0;
  std::mt19937_64 random{1};
  const Pending* running = nullptr;
};

Schedule& schedule() {
  static Schedule all;
  return all;
}

bool is_ready(const Pending& next, uint32_t own_lane) {
  const Schedule& all = schedule();
  for (uint32_t i = 0; i < next.clock.size(); ++i) {
    if (i != own_lane && all.lanes[i] != nullptr && all.lanes[i]->done < next.clock[i]) {
      return false;
    }
  }
  return true;
}

void run_next(Lane& lane) {
  Schedule& all = schedule();
  Pending next = std::move(lane.pending.front());
  lane.pending.pop_front();
  ++lane.done;
  struct Restore {
    const Pending*& place;
    const Pending* before;
    ~Restore() { place = before; }
  } restore{all.running, all.running};
  all.running = &next;
  next.work();
}

std::vector<Lane*> runnable() {
  std::vector<Lane*> lanes;
  for (Lane* lane : schedule().lanes) {
    if (lane == nullptr || lane->pending.empty()) continue;
    if (is_ready(lane->pending.front(), lane->number)) lanes.push_back(lane);
  }
  return lanes;
}

// One operation that may run now; `wanted` first if the schedule is the laziest.
void run_one(Lane& wanted) {
  const std::vector<Lane*> lanes = runnable();
  Schedule& all = schedule();
  const bool has_wanted = std::find(lanes.begin(), lanes.end(), &wanted) != lanes.end();
  if (all.seed == 0 && has_wanted) return run_next(wanted);
  run_next(*lanes[all.random() % lanes.size()]);
}

uint64_t hash_of(std::span<const std::byte> bytes) {
  uint64_t hash = 14695981039346656037u;
  for (std::byte b : bytes) hash = (hash ^ static_cast<uint64_t>(b)) * 1099511628211u;
  return hash;
}

}  // namespace

void choose_schedule(uint64_t seed) {
  schedule().seed = seed;
  schedule().random.seed(seed);
}

LaneHandle make_lane() {
  Schedule& all = schedule();
  size_t number = 0;
  while (number < all.lanes.size() && all.lanes[number] != nullptr) ++number;
  if (number == all.lanes.size()) {
    all.lanes.push_back(nullptr);
    all.queued.push_back(0);
  }
  auto* lane = new Lane;
  lane->number = static_cast<uint32_t>(number);
  lane->queued = lane->done = all.queued[number];
  all.lanes[number] = lane;
  return LaneHandle(lane, [](Lane* gone) {
    for (const Pending& dropped : gone->pending) dropped.if_dropped();
    schedule().queued[gone->number] = gone->queued;
    schedule().lanes[gone->number] = nullptr;
    delete gone;
  });
}

namespace {

void push(const LaneHandle& lane, std::string name, std::function<void()> work,
          std::function<void()> if_dropped) {
  Schedule& all = schedule();
  join(lane->clock, all.host);
  if (lane->clock.size() <= lane->number) lane->clock.resize(lane->number + 1);
  lane->clock[lane->number] = ++lane->queued;
  lane->pending.push_back({static_cast<uint32_t>(all.operations.size()), lane->clock,
                           std::move(work), std::move(if_dropped)});
  all.operations.push_back({lane->number, lane->queued, std::move(name)});
}

}  // namespace

void enqueue(const LaneHandle& lane, std::string name, std::function<void()> work) {
  push(lane, std::move(name), std::move(work), [] {});
  Schedule& all = schedule();
  while (all.seed != 0 && all.running == nullptr && all.random() % 2 == 0 && !runnable().empty()) {
    run_one(*lane);
  }
}

void synchronise(const LaneHandle& lane) {
  while (!lane->pending.empty()) run_one(*lane);
  join(schedule().host, lane->clock);
}

Event record(const LaneHandle& lane) {
  Clock clock = lane->clock;
  join(clock, schedule().host);
  return {std::move(clock)};
}

void wait(const LaneHandle& lane, const Event& event) {
  join(lane->clock, event.clock);
}

void copy_in(const LaneHandle& lane, std::byte* to, std::span<const std::byte> from) {
  enqueue(lane, "a copy to the device", [=, before = hash_of(from)] {
    if (hash_of(from) != before) {
      throw Fault(Wrong::kHostChanged, "the source of a copy of " + std::to_string(from.size()) +
                                           " bytes to the device changed before it ran");
    }
    touch(to, from.size(), Use::kWrite);
    std::memcpy(to, from.data(), from.size());
  });
}

void copy_out(const LaneHandle& lane, const std::byte* from, std::span<std::byte> to,
              size_t granule) {
  std::memset(to.data(), 0xa5, to.size());
  enqueue(lane, "a copy from the device", [=] {
    touch(from, to.size(), Use::kRead, granule);
    std::memcpy(to.data(), from, to.size());
  });
}

void enqueue_free(const LaneHandle& lane, std::byte* memory) {
  push(  // destructors call this, so it runs nothing
      lane, "a free", [=] { free_device_memory(memory); }, [=] { drop_device_memory(memory); });
}

uint32_t current_operation() {
  return schedule().running == nullptr ? 0 : schedule().running->operation;
}

bool happened_before(uint32_t operation) {
  const Schedule& all = schedule();
  if (all.running == nullptr) return true;
  const Operation& earlier = all.operations[operation];
  const Clock& known = all.running->clock;
  return earlier.lane < known.size() && known[earlier.lane] >= earlier.place;
}

std::string operation_name(uint32_t operation) {
  return schedule().operations[operation].name;
}
std::string operation_name() {
  return operation_name(current_operation());
}

}  // namespace cuda_on_host
