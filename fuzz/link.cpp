#include "fuzz/link.hpp"

#include <cstring>

#include "fuzz/targets.hpp"

namespace maskbench::fuzz {
namespace {

uint32_t sequence_in(std::span<const std::byte> frame) {
  uint32_t sequence = 0;
  must(frame.size() >= kFrameHeaderBytes);
  std::memcpy(&sequence, frame.data() + 16, sizeof sequence);
  return sequence;
}

class Listener {
 public:
  Heard hear(std::string_view bytes) {
    Recording stream(bytes);
    try {
      while (hear_one(stream)) continue;
      must(reader_.farewell().size() <= kFarewellBytes + std::strlen("gave up: "));
      heard_.end = reader_.farewell();
    } catch (const FrameError& error) {
      heard_.end = error.what();
    } catch (const StreamEnded& error) {
      heard_.end = error.what();
    }
    while (!inbox_.empty()) take();
    must(heard_.messages == frames_);
    return heard_;
  }

 private:
  bool hear_one(Recording& stream) {
    const std::span<const std::byte> frame = stream.rest();
    const auto room = reader_.next(stream);
    must(sequence_in(frame) == frames_);
    if (!room) return false;
    must(*room <= kFrameHeaderBytes + limits_.frame_bytes);
    while (!inbox_.has_room(*room)) take();
    inbox_.put(reader_.read(stream));
    waiting_ += *room;
    must(waiting_ <= limits_.queued_bytes || waiting_ == *room);
    ++frames_;
    return true;
  }

  void take() {
    const Message message = inbox_.take();
    must(message.from == Party::pp && static_cast<size_t>(message.kind) < kKinds);
    must(room_of(message) <= waiting_);
    waiting_ -= room_of(message);
    ++heard_.messages;
  }

  LinkLimits limits_ = small_limits();
  BufferPool buffers_;
  FrameReader reader_{Party::pp, limits_.frame_bytes, buffers_};
  Inbox inbox_{limits_.queued_bytes};
  Heard heard_;
  uint32_t frames_ = 0;
  size_t waiting_ = 0;  // bytes of the queue
};

}  // namespace

Heard hear(std::string_view bytes) {
  return Listener().hear(bytes);
}

void link(std::string_view bytes) {
  is_for_people(hear(bytes).end);
}

}  // namespace maskbench::fuzz
