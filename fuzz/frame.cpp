#include "harness/exchange/frame.hpp"

#include <algorithm>
#include <cstring>

#include "fuzz/targets.hpp"
#include "harness/exchange/link.hpp"
#include "harness/exchange/packing.hpp"

namespace maskbench::fuzz {
namespace {

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <class T>
std::vector<int64_t> packed_words(const Payload& payload, size_t at, size_t& bytes) {
  std::vector<int64_t> words;
  bytes = pack(std::span<const T>(dynamic_cast<const HostValues<T>&>(payload).values), words, at);
  return words;
}

// A peer may waste bits, so its bytes need not be ours; but ours must give the same integers.
void packs_to_the_same(const ParsedFrame& frame, size_t limit, BufferPool& buffers) {
  constexpr size_t at = kFrameHeaderBytes / sizeof(int64_t);
  size_t size = 0;
  std::vector<int64_t> words = frame.header.element == Element::i32
                                   ? packed_words<int32_t>(*frame.payload, at, size)
                                   : packed_words<int64_t>(*frame.payload, at, size);
  must(kFrameHeaderBytes + size <= frame.used);
  const HeaderBytes head = encode_header(frame.header);
  std::memcpy(words.data(), head.data(), head.size());
  const auto bytes = std::as_bytes(std::span(words)).first(kFrameHeaderBytes + size);
  const ParsedFrame again = parse_frame(bytes, limit, buffers);
  must(again.used == bytes.size());
  must(std::ranges::equal(again.payload->bytes(), frame.payload->bytes()));
}

}  // namespace

void frame(std::string_view bytes) {
  constexpr size_t kLimit = 1 << 12;
  BufferPool buffers;
  auto rest = as_bytes(bytes);
  try {
    while (!rest.empty()) {
      const ParsedFrame got = parse_frame(rest, kLimit, buffers);
      must(got.used >= kFrameHeaderBytes && got.used <= rest.size());
      must(got.payload->size() <= kLimit);
      must(std::ranges::equal(encode_header(got.header), rest.first(kFrameHeaderBytes)));
      if (got.header.packed) {
        packs_to_the_same(got, kLimit, buffers);
      } else {
        must(std::ranges::equal(got.payload->bytes(),
                                rest.subspan(kFrameHeaderBytes, got.used - kFrameHeaderBytes)));
      }
      is_for_people(frame_name(got.header));
      rest = rest.subspan(got.used);
    }
  } catch (const FrameError& error) {
    is_for_people(error.what());
  }
}

}  // namespace maskbench::fuzz
