#include "harness/exchange/tape.hpp"

namespace maskbench {

void Tape::hear(const Message& message) {
  const auto from = static_cast<size_t>(message.from);
  const auto kind = static_cast<size_t>(message.kind);
  bytes_[from][kind] += kHeaderBytes + message.payload->size();
  ++messages_[from][kind];
  if (!message.payload->has_bytes()) return;
  if (!filter_ || !filter_(other(message.from), message.kind, message.tag)) return;
  recorded_.push_back({message.from, message.kind, message.tag, message.payload->copy()});
}

uint64_t Tape::total_bytes() const {
  uint64_t total = 0;
  for (const auto& by_kind : bytes_) {
    for (uint64_t b : by_kind) total += b;
  }
  return total;
}

}  // namespace maskbench
