#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "harness/exchange/link.hpp"
#include "harness/exchange/price.hpp"
#include "harness/exchange/tape.hpp"

namespace maskbench {

// The other party sent what the protocol does not have there.
struct ProtocolError : std::logic_error {
  using std::logic_error::logic_error;
};
// Throws unless so many elements came as had to.
void expect_count(Kind kind, size_t came, size_t wanted);

// A party's only way to the other: it sends, each message with its price, and blocks in receive.
// It keeps the party's ledger and the time that the party computed itself.
class Channel {
 public:
  Channel(Party me, Link& link, privacy::Unit unit) : me_(me), link_(link), ledger_(unit) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  template <class T>
  void send(Kind kind, Tag tag, std::vector<T> values, const Price& price) {
    send(kind, tag, std::make_unique<HostValues<T>>(std::move(values)), price);
  }
  template <class Content>
  requires std::is_base_of_v<Payload, Content>
  void send(Kind kind, Tag tag, std::unique_ptr<Content> payload, const Price& price) {
    post({me_, kind, tag, std::move(payload)}, price);
  }

  // The kind of the message that comes next.
  Kind next();

  // The next message, which must be of this kind and type: anything else is a broken protocol.
  template <class T>
  std::vector<T> receive(Kind kind, Tag* tag = nullptr) {
    std::unique_ptr<Payload> payload = receive_payload(kind, tag);
    auto* values = dynamic_cast<HostValues<T>*>(payload.get());
    if (values == nullptr) wrong_type(kind);
    return std::move(values->values);
  }
  std::unique_ptr<Payload> receive_payload(Kind kind, Tag* tag = nullptr);

  Party me() const { return me_; }
  // What an earlier training, cut short after so many trees, had sent already.
  void recall(const privacy::Ledger& earlier, int trees) { ledger_.add_trees(earlier, trees); }
  BufferPool& buffers() { return link_.buffers(); }
  size_t ahead_bytes() const { return link_.ahead_bytes(); }
  const privacy::Ledger& ledger() const { return ledger_; }
  // Bytes sent of each kind that a mechanism covers or nothing does, and those that are nobody's.
  uint64_t personal_bytes(Kind kind) const { return personal_[static_cast<size_t>(kind)]; }
  uint64_t free_bytes(Kind kind) const { return free_[static_cast<size_t>(kind)]; }

  // Seconds spent in receive since the start, and of these the link's own.
  double blocked_seconds() const { return blocked_.count(); }
  double delay_seconds() const { return link_.delay_seconds(); }

 private:
  void post(Message message, const Price& price);
  const Message& wait();
  [[noreturn]] void wrong_type(Kind kind) const;

  Party me_;
  Link& link_;
  privacy::Ledger ledger_;
  std::array<uint64_t, kKinds> personal_{}, free_{};
  std::chrono::duration<double> blocked_{};
};

}  // namespace maskbench
