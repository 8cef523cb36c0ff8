#include "harness/exchange/stream_link.hpp"

#include <fmt/format.h>

#include <cstring>

#include "harness/base/error.hpp"
#include "harness/exchange/packing.hpp"

namespace maskbench {

namespace {

constexpr size_t kJoinedBytes = size_t{1}
                                << 16;  // a message this small is copied behind its header
constexpr std::chrono::seconds kFarewellPatience{5};

// Large buffers serve again.
void reuse(std::unique_ptr<Payload> payload, BufferPool& pool) {
  if (auto* values = dynamic_cast<HostValues<int32_t>*>(payload.get())) {
    pool.give_back(std::move(values->values));
  } else if (auto* wide = dynamic_cast<HostValues<int64_t>*>(payload.get())) {
    pool.give_back(std::move(wide->values));
  }
}

template <class T>
size_t pack_bytes(std::span<const std::byte> bytes, std::vector<int64_t>& out, size_t at) {
  return pack(std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)), out,
              at);
}

FrameHeader header_of(const Message& message, uint32_t sequence) {
  const size_t size = element_bytes(message.payload->element());
  const size_t count = message.payload->size() / size;
  if (count > UINT32_MAX) throw std::logic_error("a message of over 2^32 elements");
  return {static_cast<uint8_t>(message.kind), message.payload->element(), message.tag, sequence,
          static_cast<uint32_t>(count)};
}

}  // namespace

StreamLink::StreamLink(Party me, std::unique_ptr<ByteStream> stream, const LinkLimits& limits)
    : me_(me),
      stream_(std::move(stream)),
      limits_(limits),
      inbox_(limits.queued_bytes),
      reader_(other(me), limits.frame_bytes, *buffers_) {
  sender_ = std::thread([this] { send_all(); });
  receiver_ = std::thread([this] { receive_all(); });
}

StreamLink::~StreamLink() {
  end("this party has ended");
  stream_->cancel();
  sender_.join();
  receiver_.join();
}

void StreamLink::end(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (ended_.empty()) ended_ = why;
  wake_all();
}

void StreamLink::wake_all() {
  for (std::condition_variable* one : {&posted_, &sent_some_, &arrived_, &taken_})
    one->notify_all();
}

std::string StreamLink::last_step() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

void StreamLink::fail(const std::string& why) const {
  throw PeerLeft(
      fmt::format("{}: {} (this party's last step: {})", name_of(other(me_)), why, last_));
}

template <class Condition>
void StreamLink::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& signal,
                      Condition condition, const char* for_what) {
  signal.wait_for(lock, limits_.patience, [&] { return condition() || !ended_.empty(); });
  if (condition()) return;
  if (!ended_.empty()) fail(ended_);
  ended_ = fmt::format("{} for {:.0f} s; the connection is given up", for_what,
                       std::chrono::duration<double>(limits_.patience).count());
  stream_->cancel();
  fail(ended_);
}

void StreamLink::post(Message message) {
  if (!message.payload->has_bytes())
    throw Error(
        "this mode only simulates its messages; between two processes set mode: "
        "materialised");
  if (message.payload->element() == Element::none)
    throw std::logic_error(fmt::format("{} has no form on a wire", name_of(message.kind)));
  // The thread that writes must not touch a device, which belongs to this one.
  if (!message.payload->is_on_host()) message.payload = message.payload->copy();
  std::unique_lock lock(mutex_);
  const size_t size = room_of(message);
  const auto has_room = [&] {
    return outbox_.empty() || outbox_bytes_ + size <= limits_.queued_bytes;
  };
  wait(lock, sent_some_, has_room, "takes nothing");
  if (!ended_.empty()) fail(ended_);
  if (tape_ != nullptr) tape_->hear(message);
  last_ = "sent " + frame_name(header_of(message, 0));
  outbox_bytes_ += size;
  outbox_.push_back(std::move(message));
  posted_.notify_all();
}

void StreamLink::wait_for_message(std::unique_lock<std::mutex>& lock) {
  const auto begin = std::chrono::steady_clock::now();
  wait(
      lock, arrived_, [&] { return !inbox_.empty(); }, "sends nothing");
  waited_ += std::chrono::steady_clock::now() - begin;
}

const Message& StreamLink::front() {
  std::unique_lock lock(mutex_);
  wait_for_message(lock);
  return inbox_.front();
}

Message StreamLink::take() {
  std::unique_lock lock(mutex_);
  wait_for_message(lock);
  Message message = inbox_.take();
  if (tape_ != nullptr) tape_->hear(message);
  last_ = "took " + frame_name(header_of(message, 0));
  taken_.notify_all();
  return message;
}

void StreamLink::write(const FrameHeader& header, const std::shared_ptr<Payload>& payload) {
  const HeaderBytes head = encode_header(header);
  const std::span<const std::byte> body = payload->bytes();
  const size_t joined = body.size() <= kJoinedBytes ? body.size() : 0;
  const auto bytes = std::make_shared<std::vector<std::byte>>(head.size() + joined);
  std::ranges::copy(head, bytes->begin());
  std::ranges::copy(body.first(joined), bytes->begin() + kFrameHeaderBytes);
  stream_->write(*bytes, bytes);
  if (joined < body.size()) stream_->write(body, payload);
}

// Header and packed elements as one piece, whose buffer comes back when the last byte of it is on
// its way.
void StreamLink::write_packed(FrameHeader header, std::unique_ptr<Payload> payload) {
  constexpr size_t at = kFrameHeaderBytes / sizeof(int64_t);
  header.packed = true;
  const HeaderBytes head = encode_header(header);
  const std::span<const std::byte> body = payload->bytes();
  const auto give_back = [pool = buffers_](std::vector<int64_t>* used) {
    pool->give_back(std::move(*used));
    delete used;
  };
  const std::shared_ptr<std::vector<int64_t>> words(
      new std::vector<int64_t>(buffers_->get<int64_t>(at + body.size() / sizeof(int64_t))),
      give_back);
  const size_t size =
      kFrameHeaderBytes + (header.element == Element::i32 ? pack_bytes<int32_t>(body, *words, at)
                                                          : pack_bytes<int64_t>(body, *words, at));
  std::memcpy(words->data(), head.data(), head.size());
  reuse(std::move(payload), *buffers_);
  stream_->write(std::as_bytes(std::span(*words)).first(size), words);
}

void StreamLink::send_one(Message message) {
  const FrameHeader header = header_of(message, sent_++);
  if (is_packed(header.element, header.count))
    return write_packed(header, std::move(message.payload));
  write(header, std::move(message.payload));
}

void StreamLink::send_all() try {
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [&] { return !outbox_.empty() || leaving_ || !ended_.empty(); });
    if (outbox_.empty()) break;
    Message message = std::move(outbox_.front());
    outbox_.pop_front();
    const size_t size = room_of(message);
    lock.unlock();
    send_one(std::move(message));
    lock.lock();
    outbox_bytes_ -= size;
    sent_some_.notify_all();
  }
  sent_all_ = true;
  sent_some_.notify_all();
} catch (const std::exception& error) {
  end(error.what());
}

void StreamLink::hear_farewell() {
  const std::scoped_lock lock(mutex_);
  peer_is_done_ = reader_.is_done();
  ended_ = reader_.farewell();
  wake_all();
}

void StreamLink::receive_one() {
  const std::optional<size_t> size = reader_.next(*stream_);
  if (!size) return hear_farewell();
  {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return inbox_.has_room(*size) || !ended_.empty(); });
    if (!ended_.empty()) return;
  }
  Message message = reader_.read(*stream_);
  const std::scoped_lock lock(mutex_);
  inbox_.put(std::move(message));
  arrived_.notify_all();
}

void StreamLink::receive_all() {
  try {
    while (true) {
      {
        const std::scoped_lock lock(mutex_);
        if (!ended_.empty()) return;
      }
      receive_one();
    }
  } catch (const FrameError& error) {
    end(fmt::format("sent {}; the connection is cut", error.what()));
    stream_->cancel();
  } catch (const std::exception& error) {
    end(error.what());
  }
}

// After everything that was posted.
void StreamLink::say_farewell(const std::string& reason, std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    leaving_ = true;
    posted_.notify_all();
    sent_some_.wait_for(lock, patience,
                        [&] { return sent_all_ || (!ended_.empty() && !peer_is_done_); });
    if (!sent_all_) fail(ended_.empty() ? "takes nothing" : ended_);
  }
  const std::string text = reason.substr(0, kFarewellBytes);
  const auto payload =
      std::make_shared<HostValues<uint8_t>>(std::vector<uint8_t>(text.begin(), text.end()));
  write({kFarewell, Element::u8, {}, sent_++, static_cast<uint32_t>(text.size())}, payload);
  stream_->finish_writing();
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, patience, [&] { return !ended_.empty(); });
}

void StreamLink::leave() {
  std::string why = "does not say that it is done";
  try {
    say_farewell("", limits_.patience);
  } catch (const StreamEnded& error) {  // a peer that is done may go when it has heard that
    why = error.what();
  }
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, limits_.patience, [&] { return !ended_.empty(); });
  if (!peer_is_done_) fail(ended_.empty() ? why : ended_);
}

void StreamLink::give_up(const std::string& reason) noexcept {
  try {
    say_farewell(reason, kFarewellPatience);  // the peer ends when it hears it
  } catch (const std::exception&) {           // it is gone already
  }
  stream_->cancel();  // a peer that waits for this one's farewell need not
}

}  // namespace maskbench
