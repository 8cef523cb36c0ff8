#pragma once

#include <array>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "harness/exchange/element.hpp"
#include "harness/exchange/message.hpp"

// A message as bytes: a header, then its elements as they lie in memory, or packed (packing.hpp).
// All little-endian.
//
//   0  kind       u8     a Kind, or kFarewell
//   1  element    u8     an Element; 128 more: the elements are packed
//   2  depth      i16    of the tag; -1: none
//   4  tree       i32
//   8  node       i32
//  12  candidate  i32
//  16  sequence   u32    0, 1, 2 ... of the frames in one direction
//  20  count      u32    elements that follow, before packing
namespace maskbench {

inline constexpr size_t kFrameHeaderBytes = 24;
// The last frame of a party: why it leaves, as text; empty if all is done.
inline constexpr uint8_t kFarewell = 255;
inline constexpr size_t kFarewellBytes = 400;  // of the text

// The peer sent what is no frame, or one that must not come.
struct FrameError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FrameHeader {
  uint8_t kind = 0;
  Element element = Element::none;
  Tag tag;
  uint32_t sequence = 0;
  uint32_t count = 0;
  bool packed = false;

  bool is_farewell() const { return kind == kFarewell; }
};

using HeaderBytes = std::array<std::byte, kFrameHeaderBytes>;

HeaderBytes encode_header(const FrameHeader& header);
// Throws FrameError unless every field has a meaning and the elements take at most `limit` bytes.
FrameHeader decode_header(std::span<const std::byte, kFrameHeaderBytes> bytes, size_t limit);

size_t element_bytes(Element element);              // 0: none
std::string frame_name(const FrameHeader& header);  // "masked of tree 3, depth 2"

// Room for the elements of a frame, and the bytes to fill.
struct FrameRoom {
  std::unique_ptr<Payload> payload;
  std::span<std::byte> bytes;
};
class BufferPool;
FrameRoom make_room(const FrameHeader& header, BufferPool& buffers);

// Fills the room with what `read` brings: it fills a span with the next bytes of the frame.
using ReadBytes = std::function<void(std::span<std::byte>)>;
void fill_room(const FrameHeader& header, FrameRoom& room, const ReadBytes& read);

// A whole frame from the bytes at hand and nothing else; what is behind it stays.
struct ParsedFrame {
  FrameHeader header;
  std::unique_ptr<Payload> payload;
  size_t used = 0;  // bytes
};
ParsedFrame parse_frame(std::span<const std::byte> bytes, size_t limit, BufferPool& buffers);

}  // namespace maskbench
