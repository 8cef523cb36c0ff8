#pragma once

// CUDA streams ("lanes") as queues of work that runs late: when somebody synchronises, in any order
// that streams and events allow, chosen by a seed. What an operation may rely on is kept as vector
// clocks, so that two operations on one buffer that nothing orders are found for every seed.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cuda_on_host {

// Seed 0: as late as possible, and nothing that is not waited for. Others: at random.
void choose_schedule(uint64_t seed);

class Lane;
using LaneHandle = std::shared_ptr<Lane>;
LaneHandle make_lane();  // as cudaStreamNonBlocking: it waits for no other

using Clock = std::vector<uint32_t>;  // of each lane: operations that are known to be done

// `work` may throw a Fault, which then leaves the call that ran it. Work that nobody waited for
// when its lane ends is not done.
void enqueue(const LaneHandle& lane, std::string name, std::function<void()> work);
void synchronise(const LaneHandle& lane);

struct Event {
  Clock clock;
};
Event record(const LaneHandle& lane);
void wait(const LaneHandle& lane, const Event& event);

// Copies that read or write the host's memory when they run. The source must not change before; the
// target is poisoned until then.
void copy_in(const LaneHandle& lane, std::byte* to, std::span<const std::byte> from);
void copy_out(const LaneHandle& lane, const std::byte* from, std::span<std::byte> to,
              size_t granule);

// Frees device memory when the lane comes to it.
void enqueue_free(const LaneHandle& lane, std::byte* memory);

// Of the operation that runs now.
uint32_t current_operation();
bool happened_before(uint32_t operation);
std::string operation_name(uint32_t operation);
std::string operation_name();

}  // namespace cuda_on_host
