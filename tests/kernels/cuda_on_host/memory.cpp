#include "tests/kernels/cuda_on_host/memory.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tests/kernels/cuda_on_host/fibres.hpp"
#include "tests/kernels/cuda_on_host/lanes.hpp"

extern "C" const char __executable_start, _end;  // of the program: its constants lie between

namespace cuda_on_host {
namespace {

constexpr std::byte kPoison{0xa5};
constexpr size_t kQuarantine = size_t{64} << 20;
constexpr uint32_t kMany = ~0u;  // threads, in an atomic operation

enum class Place { kDevice, kShared, kConstant };
enum class State { kUnborn, kLive, kFreed };

struct Access {
  uint32_t operation = 0;  // 0: none
  Accessor by;
  bool is_atomic = false;
};

// The last write of a byte and two reads by different threads: enough to see a write that races
// with any reader, because one of two is another thread than the writer.
struct Cell {
  Access write;
  Access read[2];
};

struct Region {
  std::byte* begin = nullptr;
  size_t bytes = 0;
  size_t zone = 0;
  std::string name;
  Place place = Place::kDevice;
  State state = State::kLive;
  std::vector<uint8_t> is_set;
  std::vector<Cell> cells;  // made at the first access that is observed
  std::unique_ptr<std::byte[]> owned;
};

struct Registry {
  std::map<const std::byte*, Region> regions;  // by the start of the first red zone
  Region* last = nullptr;
  std::deque<std::byte*> freed;
  size_t freed_bytes = 0;
  bool is_observing = false;
};

Registry& registry() {
  static Registry all;
  return all;
}

Region* find(const void* address) {
  Registry& all = registry();
  const auto* at = static_cast<const std::byte*>(address);
  const auto holds = [&](const Region& r) {
    return at >= r.begin - r.zone && at < r.begin + r.bytes + r.zone;
  };
  if (all.last != nullptr && holds(*all.last)) return all.last;
  auto next = all.regions.upper_bound(at);
  if (next == all.regions.begin()) return nullptr;
  Region& region = std::prev(next)->second;
  if (!holds(region)) return nullptr;
  return all.last = &region;
}

Region& add(void* begin, size_t bytes, size_t zone, Place place, std::string name) {
  auto* at = static_cast<std::byte*>(begin);
  Region& region = registry().regions[at - zone];
  registry().last = nullptr;
  region.begin = at;
  region.bytes = bytes;
  region.zone = zone;
  region.place = place;
  region.state = State::kLive;
  region.name = std::move(name);
  region.is_set.assign(place == Place::kConstant ? 0 : bytes, 0);
  region.cells.clear();
  return region;
}

void remove(const void* begin, size_t zone) {
  registry().regions.erase(static_cast<const std::byte*>(begin) - zone);
  registry().last = nullptr;
}

std::string who(const Accessor& by) {
  if (by.block == 0) return "an operation of the host";
  if (by.thread == kMany) return "several threads";
  return "thread " + std::to_string(by.thread);
}

std::string where(const Region& region, const void* address) {
  return region.name + " at byte " +
         std::to_string(static_cast<const std::byte*>(address) - region.begin) + " of " +
         std::to_string(region.bytes) + ", in " + operation_name();
}

const char* verb(Use use) {
  return use == Use::kRead ? " reads " : use == Use::kWrite ? " writes " : " adds to ";
}

// Does something order this earlier access before the present one?
bool is_ordered(const Access& a, const Accessor& me, Place place) {
  if (a.operation == 0) return true;
  if (a.operation != current_operation()) {
    return place != Place::kDevice || happened_before(a.operation);
  }
  if (me.block == 0) return true;
  if (a.by.block != me.block) return place == Place::kShared;  // shared memory is each block's own
  if (a.by.thread == me.thread || a.by.barrier < me.barrier) return true;
  return a.by.thread != kMany && has_met(a.by.thread, a.by.epoch);
}

// The fault of this access, if any; records it otherwise.
const Access* race_with(Cell& cell, const Access& mine, Use use, Place place) {
  const bool both_atomic = use == Use::kAtomic && cell.write.is_atomic;
  const bool after_write = is_ordered(cell.write, mine.by, place);
  if (!after_write && !both_atomic) return &cell.write;
  if (use == Use::kRead) {
    Access& first = cell.read[0];
    const bool is_mine = first.operation == mine.operation && first.by.block == mine.by.block &&
                         first.by.thread == mine.by.thread;
    (is_mine || is_ordered(first, mine.by, place) ? first : cell.read[1]) = mine;
    return nullptr;
  }
  for (const Access& read : cell.read) {
    if (!is_ordered(read, mine.by, place)) return &read;
  }
  cell.write = mine;
  if (!after_write) cell.write.by.thread = kMany;
  return nullptr;
}

void check_race(Region& region, const std::byte* at, size_t bytes, Use use, const Accessor& me) {
  if (!registry().is_observing) return;
  if (region.cells.empty()) region.cells.resize(region.bytes);
  const Access mine{current_operation(), me, use == Use::kAtomic};
  for (size_t i = 0; i < bytes; ++i) {
    Cell& cell = region.cells[static_cast<size_t>(at - region.begin) + i];
    if (const Access* other = race_with(cell, mine, use, region.place)) {
      throw Fault(Wrong::kRace, who(me) + verb(use) + where(region, at + i) +
                                    "; nothing orders it after " + who(other->by) + " in " +
                                    operation_name(other->operation));
    }
  }
}

void check_set(Region& region, const std::byte* at, size_t bytes, Use use, size_t granule,
               const Accessor& me) {
  if (!registry().is_observing) return;  // what kernels wrote is not known
  const auto first = region.is_set.begin() + (at - region.begin);
  for (size_t i = 0; i < bytes && use != Use::kWrite; i += granule) {
    bool any = false;
    for (size_t k = i; k < i + granule && k < bytes; ++k) any |= first[static_cast<long>(k)] != 0;
    if (!any) {
      throw Fault(Wrong::kUninitialised,
                  who(me) + verb(use) + where(region, at + i) + ", where nothing was written");
    }
  }
  if (use != Use::kRead) std::fill_n(first, bytes, uint8_t{1});
}

void check(const void* address, size_t bytes, Use use, size_t granule, const Accessor& me) {
  const auto* at = static_cast<const std::byte*>(address);
  Region* region = find(address);
  if (region == nullptr) {
    throw Fault(Wrong::kOutOfBounds,
                who(me) + verb(use) + "what is no device memory, in " + operation_name());
  }
  if (region->place == Place::kConstant && use == Use::kRead) return;
  const bool is_inside = at >= region->begin && at + bytes <= region->begin + region->bytes;
  if (!is_inside || region->place == Place::kConstant) {
    throw Fault(Wrong::kOutOfBounds, who(me) + verb(use) + where(*region, at));
  }
  if (region->state != State::kLive) {
    throw Fault(Wrong::kFreed, who(me) + verb(use) + where(*region, at) +
                                   (region->state == State::kFreed
                                        ? ", which was freed"
                                        : ", which is not yet allocated on its stream"));
  }
  check_race(*region, at, bytes, use, me);
  check_set(*region, at, bytes, use, granule, me);
}

bool is_constant_of_program(const void* address) {
  return address >= &__executable_start && address < &_end;
}

}  // namespace

bool is_observing() {
  return registry().is_observing;
}
void observe_kernels() {
  registry().is_observing = true;
}

void observe(const void* address, size_t bytes, Use use) {
  // The shim may be linked with a template that was compiled for an observed file.
  static bool is_busy = false;
  if (is_busy || on_own_stack(address)) return;
  is_busy = true;
  bool is_wrong = false;  // nobody may jump out of a handler
  try {
    const bool is_constant = use == Use::kRead && is_constant_of_program(address);
    if (!is_constant || find(address) != nullptr) check(address, bytes, use, 1, accessor());
  } catch (const Fault& wrong) {
    keep(wrong);
    is_wrong = true;
  }
  is_busy = false;
  if (is_wrong) leave_grid();
}

void note_atomic(const void* address, size_t bytes) {
  if (registry().is_observing && in_kernel()) observe(address, bytes, Use::kAtomic);
}

void touch(const void* address, size_t bytes, Use use, size_t granule) {
  if (bytes > 0) check(address, bytes, use, granule, Accessor{});
}

std::byte* make_device_memory(size_t bytes, const std::string& name) {
  auto owned = std::make_unique_for_overwrite<std::byte[]>(bytes + 2 * kRedZone);
  std::byte* begin = owned.get() + kRedZone;
  std::memset(owned.get(), static_cast<int>(kPoison), bytes + 2 * kRedZone);
  Region& region = add(begin, bytes, kRedZone, Place::kDevice, name);
  region.state = State::kUnborn;
  region.owned = std::move(owned);
  return begin;
}

void give_birth(std::byte* memory) {
  find(memory - 1)->state = State::kLive;
}

void free_device_memory(std::byte* memory) {
  Registry& all = registry();
  Region& region = *find(memory - 1);
  if (region.bytes > 0) check_race(region, memory, region.bytes, Use::kWrite, Accessor{});
  region.state = State::kFreed;
  std::memset(memory, static_cast<int>(kPoison), region.bytes);
  all.freed.push_back(memory);
  all.freed_bytes += region.bytes;
  while (all.freed_bytes > kQuarantine) {
    all.freed_bytes -= find(all.freed.front() - 1)->bytes;
    drop_device_memory(all.freed.front());
    all.freed.pop_front();
  }
}

void drop_device_memory(std::byte* memory) {
  remove(memory, kRedZone);
}

void poison(void* memory, size_t bytes) {
  std::memset(memory, static_cast<int>(kPoison), bytes);
}

ConstantRange::ConstantRange(const void* begin, size_t bytes) : begin_(begin) {
  add(const_cast<void*>(begin), bytes, 0, Place::kConstant, "the arguments of a launch");
}
ConstantRange::~ConstantRange() {
  remove(begin_, 0);
}

SharedRange::SharedRange(void* begin, size_t bytes, const char* name)
    : begin_(begin), bytes_(bytes) {
  if (bytes_ > 0) add(begin, bytes, kRedZone, Place::kShared, std::string("shared ") + name);
}
SharedRange::~SharedRange() {
  if (bytes_ > 0) remove(begin_, kRedZone);
}
void SharedRange::poison() const {
  if (bytes_ == 0) return;
  std::memset(begin_, static_cast<int>(kPoison), bytes_);
  find(begin_)->is_set.assign(bytes_, 0);
}

SharedVariable::SharedVariable(void* begin, size_t bytes, const char* name)
    : range_(begin, bytes, name) {}

void SharedVariable::enter() {
  if (!in_kernel() || block_ == accessor().block) return;
  block_ = accessor().block;
  range_.poison();
}

}  // namespace cuda_on_host
