#include "harness/exchange/in_process.hpp"

#include <fmt/format.h>

namespace maskbench {

InProcess::InProcess(Tape& tape)
    : tape_(tape), ends_{End(*this, Party::ap), End(*this, Party::pp)} {}

void InProcess::run(const std::function<void()>& ap, const std::function<void()>& pp) {
  Fibre passive(pp);
  passive_ = &passive;
  ap();
  ap_ended_ = true;
  while (!passive.has_ended()) passive.resume();
  passive_ = nullptr;
}

void InProcess::check_all_read() const {
  for (Party to : {Party::ap, Party::pp}) {
    if (inbox_[index(to)].empty()) continue;
    throw std::logic_error(
        fmt::format("{} left {} unread", name_of(to), name_of(inbox_[index(to)].front().kind)));
  }
}

void InProcess::post(Message message) {
  tape_.hear(message);
  inbox_[index(other(message.from))].push_back(std::move(message));
}

bool InProcess::has_left(Party party) const {
  return party == Party::ap ? ap_ended_ : passive_->has_ended();
}

// Hands over to the other, which comes back with a message or because it waits itself.
void InProcess::wait_for_message(Party me) {
  if (!inbox_[index(me)].empty()) return;
  const Party peer = other(me);
  if (!has_left(peer)) me == Party::ap ? passive_->resume() : passive_->yield();
  if (!inbox_[index(me)].empty()) return;
  if (has_left(peer))
    throw PeerLeft(
        fmt::format("{} waits for a message but {} has ended", name_of(me), name_of(peer)));
  throw std::logic_error(
      fmt::format("{} and {} wait for each other: nothing was sent", name_of(me), name_of(peer)));
}

const Message& InProcess::End::front() {
  both_.wait_for_message(me_);
  return both_.inbox_[index(me_)].front();
}

Message InProcess::End::take() {
  both_.wait_for_message(me_);
  auto& inbox = both_.inbox_[index(me_)];
  Message message = std::move(inbox.front());
  inbox.pop_front();
  return message;
}

}  // namespace maskbench
