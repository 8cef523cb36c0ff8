#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <typeinfo>
#include <vector>

#include "harness/core/tree.hpp"

namespace maskbench {

// What a message is about. Every value that crosses between the parties has one of these kinds.
enum class Kind : uint8_t {
  gradients,    // g, h of the rows, in clear or noised
  labels,       // released labels
  buckets,      // PP's bins, in clear or by randomised response
  noise,        // PP's noise vectors B_i
  masked,       // AP's <g>_i, <h>_i
  totals,       // G, H of the nodes
  ciphertexts,  // encrypted gradients or sums
  matrices,     // SMM's bases and masked splitting vectors
  proposals,    // PP's best split of each node: score and opaque id
  decisions,    // AP's choice for each node
  row_sets,     // which rows go left
  count_
};
inline constexpr size_t kKinds = static_cast<size_t>(Kind::count_);
const char* name_of(Kind kind);

struct Tag {
  int tree = -1;
  int depth = -1;
  int node = -1;       // first node the message speaks of; -1: the whole level or tree
  int candidate = -1;  // first candidate
};

struct Payload {
  virtual ~Payload() = default;
  virtual std::span<const std::byte> bytes() const = 0;
  virtual std::unique_ptr<Payload> copy() const = 0;
};

template <class T>
struct Values final : Payload {
  explicit Values(std::vector<T> v) : values(std::move(v)) {}
  std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(values)); }
  std::unique_ptr<Payload> copy() const override { return std::make_unique<Values>(values); }
  std::vector<T> values;
};

struct Message {
  Party from = Party::ap;
  Kind kind = Kind::gradients;
  Tag tag;
  std::unique_ptr<Payload> payload;

  template <class T>
  const std::vector<T>& as() const {
    return dynamic_cast<const Values<T>&>(*payload).values;
  }
};

// The only way from one party to the other. It counts every byte, keeps what an attack asked for
// and forgets the rest as soon as it is received.
class Wire {
 public:
  static constexpr size_t kHeaderBytes = 24;  // framing: kind, tag, length
  using Filter = std::function<bool(Party to, Kind, const Tag&)>;

  template <class T>
  void send(Party from, Kind kind, Tag tag, std::vector<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    post({from, kind, tag, std::make_unique<Values<T>>(std::move(values))});
  }

  // The next message to `to`, which must be of this kind and type: anything else is a broken
  // protocol.
  template <class T>
  std::vector<T> receive(Party to, Kind kind, Tag* tag = nullptr) {
    Message message = take(to, kind);
    auto* values = dynamic_cast<Values<T>*>(message.payload.get());
    if (values == nullptr) wrong_type(to, kind);
    if (tag != nullptr) *tag = message.tag;
    return std::move(values->values);
  }

  // A message that a simulation leaves out: counted as if it had been sent.
  void count(Party from, Kind kind, uint64_t messages, uint64_t payload_bytes);

  // Large buffers come back to the wire after use instead of to the system (no page faults anew).
  template <class T>
  std::vector<T> buffer(size_t size) {
    std::vector<T> out;
    auto& pool = pool_of<T>();
    if (!pool.empty()) {
      out = std::move(pool.back());
      pool.pop_back();
    }
    out.resize(size);
    return out;
  }
  template <class T>
  void recycle(std::vector<T> values) {
    pool_of<T>().push_back(std::move(values));
  }

  bool has_message(Party to) const { return !inbox(to).empty(); }

  // Keep copies of the messages that pass the filter: the attacker's whole view.
  void record(Filter filter) { filter_ = std::move(filter); }
  const std::vector<Message>& recorded() const { return recorded_; }

  // What a party works out from its messages with a secret of its own (it decrypts): it crosses
  // nothing and costs nothing, but is part of what that party, and no other, can attack with.
  template <class T>
  void note(Party by, Kind kind, Tag tag, std::span<const T> values) {
    if (!filter_ || !filter_(by, kind, tag)) return;
    notes_[index(by)].push_back(
        {by, kind, tag, std::make_unique<Values<T>>(std::vector<T>(values.begin(), values.end()))});
  }
  const std::vector<Message>& notes(Party by) const { return notes_[index(by)]; }

  uint64_t bytes(Party from, Kind kind) const {
    return bytes_[index(from)][static_cast<size_t>(kind)];
  }
  uint64_t messages(Party from, Kind kind) const {
    return messages_[index(from)][static_cast<size_t>(kind)];
  }
  uint64_t total_bytes() const;

 private:
  template <class T>
  std::vector<std::vector<T>>& pool_of() {
    return std::get<std::vector<std::vector<T>>>(pools_);
  }
  static size_t index(Party p) { return static_cast<size_t>(p); }
  const std::deque<Message>& inbox(Party to) const { return inboxes_[index(to)]; }
  void post(Message message);
  Message take(Party to, Kind kind);
  [[noreturn]] static void wrong_type(Party to, Kind kind);

  std::array<std::deque<Message>, 2> inboxes_;
  std::array<std::array<uint64_t, kKinds>, 2> bytes_{};
  std::array<std::array<uint64_t, kKinds>, 2> messages_{};
  std::tuple<std::vector<std::vector<int32_t>>, std::vector<std::vector<int64_t>>> pools_;
  Filter filter_;
  std::vector<Message> recorded_;
  std::array<std::vector<Message>, 2> notes_;
};

}  // namespace maskbench
