#include "harness/core/wire.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace maskbench {

const char* name_of(Kind kind) {
  static constexpr std::array<const char*, kKinds> kNames = {
      "gradients",   "labels",   "buckets",   "noise",     "masked",  "totals",
      "ciphertexts", "matrices", "proposals", "decisions", "row_sets"};
  return kNames[static_cast<size_t>(kind)];
}

void Wire::post(Message message) {
  const size_t from = index(message.from);
  const size_t kind = static_cast<size_t>(message.kind);
  bytes_[from][kind] += kHeaderBytes + message.payload->bytes().size();
  ++messages_[from][kind];
  const Party to = other(message.from);
  if (filter_ && filter_(to, message.kind, message.tag)) {
    recorded_.push_back({message.from, message.kind, message.tag, message.payload->copy()});
  }
  inboxes_[index(to)].push_back(std::move(message));
}

void Wire::count(Party from, Kind kind, uint64_t messages, uint64_t payload_bytes) {
  bytes_[index(from)][static_cast<size_t>(kind)] += messages * kHeaderBytes + payload_bytes;
  messages_[index(from)][static_cast<size_t>(kind)] += messages;
}

Message Wire::take(Party to, Kind kind) {
  auto& inbox = inboxes_[index(to)];
  if (inbox.empty()) {
    throw std::logic_error(
        fmt::format("{} waits for {} but nothing was sent", name_of(to), name_of(kind)));
  }
  Message message = std::move(inbox.front());
  inbox.pop_front();
  if (message.kind != kind) {
    throw std::logic_error(fmt::format("{} waits for {} but got {}", name_of(to), name_of(kind),
                                       name_of(message.kind)));
  }
  return message;
}

void Wire::wrong_type(Party to, Kind kind) {
  throw std::logic_error(
      fmt::format("{} got {} of another element type", name_of(to), name_of(kind)));
}

uint64_t Wire::total_bytes() const {
  uint64_t total = 0;
  for (const auto& by_kind : bytes_) {
    for (uint64_t b : by_kind) total += b;
  }
  return total;
}

}  // namespace maskbench
