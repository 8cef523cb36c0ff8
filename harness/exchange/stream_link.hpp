#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "harness/exchange/frame.hpp"
#include "harness/exchange/intake.hpp"
#include "harness/exchange/link.hpp"
#include "harness/exchange/stream.hpp"
#include "harness/exchange/tape.hpp"

namespace maskbench {

struct LinkLimits {
  size_t frame_bytes = size_t{1} << 30;         // of a received message
  size_t queued_bytes = size_t{1} << 28;        // waiting to be sent, and waiting to be taken; one
                                                // message always fits
  std::chrono::milliseconds patience{600'000};  // for the next message
};

// A party's end of a connection to another process. One thread sends, one receives, so that the
// party computes meanwhile. Whatever the peer sends that it must not send ends the link.
class StreamLink final : public Link {
 public:
  static constexpr size_t kAheadBytes = size_t{8} << 20;

  StreamLink(Party me, std::unique_ptr<ByteStream> stream, const LinkLimits& limits);
  ~StreamLink() override;  // cuts the connection
  StreamLink(const StreamLink&) = delete;
  StreamLink& operator=(const StreamLink&) = delete;

  // From now on the tape hears what is sent and what is taken; null: nobody does.
  void listen(Tape* tape) { tape_ = tape; }

  void post(Message message) override;
  const Message& front() override;
  Message take() override;
  // Everything that the party waited for a message; what of it the peer computed is not known here.
  double delay_seconds() const override { return waited_.count(); }
  BufferPool& buffers() override { return *buffers_; }
  size_t ahead_bytes() const override { return std::min(limits_.queued_bytes, kAheadBytes); }

  // All is done: waits until everything is sent and the peer has said the same. Throws PeerLeft.
  void leave();
  // Says why this party goes, if there still is somebody to hear it.
  void give_up(const std::string& reason) noexcept;
  std::string last_step() const;

 private:
  void say_farewell(const std::string& reason, std::chrono::milliseconds patience);
  void send_all();
  void receive_all();
  void receive_one();
  void hear_farewell();
  void send_one(Message message);
  void write(const FrameHeader& header, const std::shared_ptr<Payload>& payload);
  void write_packed(FrameHeader header, std::unique_ptr<Payload> payload);
  void end(const std::string& why);
  // Until the condition holds. Throws PeerLeft if the link has ended or patience has.
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& signal,
            Condition condition, const char* for_what);
  void wake_all();
  void wait_for_message(std::unique_lock<std::mutex>& lock);
  [[noreturn]] void fail(const std::string& why) const;

  Party me_;
  std::unique_ptr<ByteStream> stream_;
  LinkLimits limits_;
  std::shared_ptr<BufferPool> buffers_ = std::make_shared<BufferPool>();
  Tape* tape_ = nullptr;

  mutable std::mutex mutex_;
  // One for each thing to wait for, so that a message wakes nobody in vain: the sender, the party
  // (twice) and the receiver.
  std::condition_variable posted_, sent_some_, arrived_, taken_;
  Inbox inbox_;
  std::deque<Message> outbox_;
  size_t outbox_bytes_ = 0;
  std::string last_ = "connecting";  // what this party last sent or took
  std::string ended_;                // why nothing comes or goes any more; empty: it may
  bool peer_is_done_ = false;        // it said farewell without a reason
  bool leaving_ = false;             // nothing more will be posted
  bool sent_all_ = false;
  uint32_t sent_ = 0;   // frames
  FrameReader reader_;  // the receiver's own

  std::chrono::duration<double> waited_{};
  std::thread sender_, receiver_;
};

}  // namespace maskbench
