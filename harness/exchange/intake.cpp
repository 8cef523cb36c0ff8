#include "harness/exchange/intake.hpp"

#include <fmt/format.h>

#include "harness/exchange/link.hpp"

namespace maskbench {
namespace {

// Of a peer that is not trusted, for the eyes of people.
std::string plain_text(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t c : bytes) text += c >= 32 && c < 127 ? static_cast<char>(c) : '?';
  return text;
}

}  // namespace

size_t room_of(const Message& message) {
  return kFrameHeaderBytes + message.payload->size();
}

std::optional<size_t> FrameReader::next(ByteStream& stream) {
  HeaderBytes bytes;
  stream.read(bytes);
  header_ = decode_header(bytes, limit_);
  if (header_.sequence != due_)
    throw FrameError(fmt::format("frame {} where frame {} was due", header_.sequence, due_));
  ++due_;
  if (!header_.is_farewell())
    return kFrameHeaderBytes + header_.count * element_bytes(header_.element);
  read_farewell(stream);
  return std::nullopt;
}

void FrameReader::read_farewell(ByteStream& stream) {
  if (header_.count > kFarewellBytes) throw FrameError("a farewell without end");
  std::vector<uint8_t> text(header_.count);
  stream.read(std::as_writable_bytes(std::span(text)));
  done_ = text.empty();
  farewell_ = done_ ? "has ended" : "gave up: " + plain_text(text);
}

Message FrameReader::read(ByteStream& stream) {
  FrameRoom room = make_room(header_, buffers_);
  fill_room(header_, room, [&](std::span<std::byte> wanted) { stream.read(wanted); });
  return {from_, static_cast<Kind>(header_.kind), header_.tag, std::move(room.payload)};
}

void Inbox::put(Message message) {
  bytes_ += room_of(message);
  messages_.push_back(std::move(message));
}

Message Inbox::take() {
  Message message = std::move(messages_.front());
  messages_.pop_front();
  bytes_ -= room_of(message);
  return message;
}

}  // namespace maskbench
