#pragma once

#include <functional>
#include <vector>

#include "harness/exchange/message.hpp"

namespace maskbench {

// Listens to a link: counts every byte by sender and kind, and keeps what an attack asked for.
class Tape {
 public:
  static constexpr size_t kHeaderBytes = 24;  // framing: kind, tag, length
  using Filter = std::function<bool(Party to, Kind, const Tag&)>;

  // Keep copies of the messages that pass the filter: the attacker's whole view.
  void record(Filter filter) { filter_ = std::move(filter); }
  void hear(const Message& message);

  const std::vector<Message>& recorded() const { return recorded_; }
  uint64_t bytes(Party from, Kind kind) const { return of(bytes_, from, kind); }
  uint64_t messages(Party from, Kind kind) const { return of(messages_, from, kind); }
  uint64_t total_bytes() const;

  // Bytes and messages so far, to go on from them later.
  struct Counts {
    ByKind bytes{}, messages{};
  };
  Counts counts() const { return {bytes_, messages_}; }
  void go_on_from(const Counts& counts) { bytes_ = counts.bytes, messages_ = counts.messages; }

 private:
  static uint64_t of(const ByKind& numbers, Party from, Kind kind) {
    return numbers[static_cast<size_t>(from)][static_cast<size_t>(kind)];
  }

  Filter filter_;
  std::vector<Message> recorded_;
  ByKind bytes_{}, messages_{};
};

}  // namespace maskbench
