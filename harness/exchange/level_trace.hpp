#pragma once

#include "harness/exchange/channel.hpp"
#include "harness/trees/row_sets.hpp"
#include "kernels/trace.hpp"

namespace maskbench {

// One party's level as a range for a profiler, with its candidates and cells (a row of a candidate).
// What it sent is known only at its end, so a mark `... sent` then has it all.
class LevelTrace {
 public:
  LevelTrace(const char* name, const Level& level, const PartyData& data, const Channel& channel)
      : channel_(channel),
        load_(load_of(level, data)),
        sent_before_(trace::is_on() ? sent() : 0),
        range_(name, load_) {}
  ~LevelTrace() {
    if (!trace::is_on()) return;
    load_.bytes = sent() - sent_before_;
    trace::mark(channel_.me() == Party::ap ? "AP level sent" : "PP level sent", load_);
  }
  LevelTrace(const LevelTrace&) = delete;

 private:
  static trace::Load load_of(const Level& level, const PartyData& data) {
    if (!trace::is_on()) return {};
    const size_t candidates = data.candidates.size();
    return {.tree = static_cast<uint64_t>(level.tree),
            .depth = static_cast<uint64_t>(level.depth),
            .nodes = level.nodes.size(),
            .candidates = level.nodes.size() * candidates,
            .cells = level.rows() * candidates};
  }
  uint64_t sent() const {
    uint64_t bytes = 0;
    for (size_t kind = 0; kind < kKinds; ++kind) {
      bytes += channel_.personal_bytes(static_cast<Kind>(kind));
      bytes += channel_.free_bytes(static_cast<Kind>(kind));
    }
    return bytes;
  }

  const Channel& channel_;
  trace::Load load_;
  uint64_t sent_before_;
  trace::Range range_;
};

}  // namespace maskbench
