#pragma once

#include <deque>
#include <optional>
#include <string>

#include "harness/exchange/frame.hpp"
#include "harness/exchange/stream.hpp"

// The receiving half of a link without its threads: what the bytes of a peer mean, and the messages
// that wait. StreamLink adds who waits for whom.
namespace maskbench {

// What a message takes of the room in a queue; one without elements takes some too.
size_t room_of(const Message& message);

// Reads frames that a peer sends one after another. Throws FrameError for what must not come.
class FrameReader {
 public:
  FrameReader(Party from, size_t limit, BufferPool& buffers)
      : from_(from), limit_(limit), buffers_(buffers) {}

  // Up to the elements of the next message: the room that it takes. None: the peer said farewell.
  std::optional<size_t> next(ByteStream& stream);
  // The message that `next` found.
  Message read(ByteStream& stream);

  // Of a peer that said farewell.
  const std::string& farewell() const { return farewell_; }  // for the eyes of people
  bool is_done() const { return done_; }                     // it gave no reason

 private:
  void read_farewell(ByteStream& stream);

  Party from_;
  size_t limit_;  // bytes of a message
  BufferPool& buffers_;
  FrameHeader header_;  // of the frame that is read
  uint32_t due_ = 0;    // the sequence of the next frame
  std::string farewell_;
  bool done_ = false;
};

// Messages that wait to be taken, up to a limit of bytes; one always fits.
class Inbox {
 public:
  explicit Inbox(size_t limit) : limit_(limit) {}

  bool has_room(size_t bytes) const { return messages_.empty() || bytes_ + bytes <= limit_; }
  bool empty() const { return messages_.empty(); }
  const Message& front() const { return messages_.front(); }
  void put(Message message);
  Message take();

 private:
  size_t limit_;
  size_t bytes_ = 0;
  std::deque<Message> messages_;
};

}  // namespace maskbench
