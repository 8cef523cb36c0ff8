#include "harness/exchange/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "harness/exchange/link.hpp"
#include "harness/exchange/packing.hpp"
#include "harness/exchange/tape.hpp"

namespace maskbench {

static_assert(std::endian::native == std::endian::little, "frames are memory as it is");
static_assert(kFrameHeaderBytes == Tape::kHeaderBytes, "what is counted is what is sent");
static_assert(kKinds < kFarewell);

namespace {

constexpr uint8_t kPackedBit = 128;

template <class T>
void put(HeaderBytes& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T get(std::span<const std::byte, kFrameHeaderBytes> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void check_tag(const Tag& tag) {
  for (int value : {tag.tree, tag.depth, tag.node, tag.candidate}) {
    if (value < -1) throw FrameError("a frame with a tag below -1");
  }
}

}  // namespace

size_t element_bytes(Element element) {
  size_t bytes = 0;
  for_each_element_type([&](auto value) {
    if (kElementOf<decltype(value)> == element) bytes = sizeof value;
  });
  return bytes;
}

HeaderBytes encode_header(const FrameHeader& header) {
  if (header.tag.depth > std::numeric_limits<int16_t>::max())
    throw std::logic_error("a tag's depth is over 32767");
  HeaderBytes bytes{};
  put(bytes, 0, header.kind);
  const uint8_t packed = header.packed ? kPackedBit : uint8_t{0};
  put(bytes, 1, static_cast<uint8_t>(static_cast<uint8_t>(header.element) | packed));
  put(bytes, 2, static_cast<int16_t>(header.tag.depth));
  put(bytes, 4, int32_t{header.tag.tree});
  put(bytes, 8, int32_t{header.tag.node});
  put(bytes, 12, int32_t{header.tag.candidate});
  put(bytes, 16, header.sequence);
  put(bytes, 20, header.count);
  return bytes;
}

FrameHeader decode_header(std::span<const std::byte, kFrameHeaderBytes> bytes, size_t limit) {
  FrameHeader header;
  header.kind = get<uint8_t>(bytes, 0);
  if (header.kind >= kKinds && header.kind != kFarewell)
    throw FrameError(fmt::format("a frame of the unknown kind {}", header.kind));
  const auto element = get<uint8_t>(bytes, 1);
  header.element = static_cast<Element>(element & ~kPackedBit);
  header.packed = (element & kPackedBit) != 0;
  const size_t size = element_bytes(header.element);
  if (size == 0) throw FrameError(fmt::format("a frame of the unknown element type {}", element));
  if (header.is_farewell() && header.element != Element::u8)
    throw FrameError("a farewell that is no text");
  header.tag = {get<int32_t>(bytes, 4), get<int16_t>(bytes, 2), get<int32_t>(bytes, 8),
                get<int32_t>(bytes, 12)};
  check_tag(header.tag);
  header.sequence = get<uint32_t>(bytes, 16);
  header.count = get<uint32_t>(bytes, 20);
  if (header.count > limit / size)
    throw FrameError(fmt::format("a frame of {} bytes, over the limit of {}",
                                 uint64_t{header.count} * size, limit));
  if (header.packed && !is_packed(header.element, header.count))
    throw FrameError("a packed frame of elements that are never packed");
  return header;
}

std::string frame_name(const FrameHeader& header) {
  if (header.is_farewell()) return "farewell";
  std::string name(name_of(static_cast<Kind>(header.kind)));
  if (header.tag.tree >= 0) name += fmt::format(" of tree {}", header.tag.tree);
  if (header.tag.depth >= 0) name += fmt::format(", depth {}", header.tag.depth);
  return name;
}

FrameRoom make_room(const FrameHeader& header, BufferPool& buffers) {
  FrameRoom room;
  for_each_element_type([&](auto value) {
    using T = decltype(value);
    if (kElementOf<T> != header.element) return;
    auto payload = std::make_unique<HostValues<T>>(buffers.get<T>(header.count));
    room.bytes = std::as_writable_bytes(std::span(payload->values));
    room.payload = std::move(payload);
  });
  return room;
}

void fill_room(const FrameHeader& header, FrameRoom& room, const ReadBytes& read) {
  if (!header.packed) {
    if (!room.bytes.empty()) read(room.bytes);
    return;
  }
  std::vector<uint8_t> widths(width_bytes(header.count));
  read(std::as_writable_bytes(std::span(widths)));
  const size_t out_bytes = kPackBlock * element_bytes(header.element);
  alignas(64) std::array<std::byte, kPackBlock * sizeof(int64_t)> block;
  std::span<std::byte> out = room.bytes;
  for (size_t i = 0; i < header.count / kPackBlock; ++i, out = out.subspan(out_bytes)) {
    const size_t size = block_bytes(header.element, widths[i]);
    read(std::span(block).first(size));
    unpack_block(header.element, widths[i], block.data(), out.data());
  }
  if (!out.empty()) read(out);
}

ParsedFrame parse_frame(std::span<const std::byte> bytes, size_t limit, BufferPool& buffers) {
  if (bytes.size() < kFrameHeaderBytes) throw FrameError("a frame that ends within its header");
  ParsedFrame out{decode_header(bytes.first<kFrameHeaderBytes>(), limit), nullptr, 0};
  const size_t body = out.header.count * element_bytes(out.header.element);
  std::span<const std::byte> left = bytes.subspan(kFrameHeaderBytes);
  const size_t least = out.header.packed ? width_bytes(out.header.count) : body;
  if (left.size() < least)
    throw FrameError(fmt::format("a frame of {} bytes that ends after {}", body, left.size()));
  FrameRoom room = make_room(out.header, buffers);
  fill_room(out.header, room, [&](std::span<std::byte> wanted) {
    if (left.size() < wanted.size()) throw FrameError("a packed frame that ends too early");
    std::ranges::copy(left.first(wanted.size()), wanted.begin());
    left = left.subspan(wanted.size());
  });
  out.payload = std::move(room.payload);
  out.used = bytes.size() - left.size();
  return out;
}

}  // namespace maskbench
