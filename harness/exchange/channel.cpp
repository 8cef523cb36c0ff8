#include "harness/exchange/channel.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace maskbench {

void expect_count(Kind kind, size_t came, size_t wanted) {
  if (came == wanted) return;
  throw ProtocolError(
      fmt::format("{}: {} elements came where {} were due", name_of(kind), came, wanted));
}

void Channel::post(Message message, const Price& price) {
  const uint64_t bytes = Tape::kHeaderBytes + message.payload->size();
  (price.is_personal() ? personal_ : free_)[static_cast<size_t>(message.kind)] += bytes;
  price.enter(ledger_);
  link_.post(std::move(message));
}

const Message& Channel::wait() {
  const auto begin = std::chrono::steady_clock::now();
  const Message& message = link_.front();
  blocked_ += std::chrono::steady_clock::now() - begin;
  return message;
}

Kind Channel::next() {
  return wait().kind;
}

std::unique_ptr<Payload> Channel::receive_payload(Kind kind, Tag* tag) {
  const Kind came = wait().kind;
  if (came != kind) {
    throw ProtocolError(
        fmt::format("{} waits for {} but got {}", name_of(me_), name_of(kind), name_of(came)));
  }
  Message message = link_.take();
  if (tag != nullptr) *tag = message.tag;
  return std::move(message.payload);
}

void Channel::wrong_type(Kind kind) const {
  throw ProtocolError(
      fmt::format("{} got {} of another element type", name_of(me_), name_of(kind)));
}

}  // namespace maskbench
