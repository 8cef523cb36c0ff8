#include "harness/exchange/packing.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "harness/exchange/frame.hpp"

namespace maskbench {

namespace {

template <class Word>
constexpr size_t kBits = 8 * sizeof(Word);
template <class Word>
constexpr size_t kLanes = kPackBlock / kBits<Word>;

template <class Word>
Word folded(Word v) {
  using Signed = std::make_signed_t<Word>;
  return static_cast<Word>(v << 1) ^ static_cast<Word>(static_cast<Signed>(v) >> (kBits<Word> - 1));
}

template <class Word>
Word unfolded(Word v) {
  return (v >> 1) ^ (Word{0} - (v & 1));
}

template <class Word>
size_t width_of(const Word* in) {
  Word all = 0;
  for (size_t i = 0; i < kPackBlock; ++i) all |= folded(in[i]);
  return static_cast<size_t>(std::bit_width(all));
}

template <class Word>
void pack_block(const Word* __restrict in, size_t width, Word* __restrict out) {
  constexpr size_t lanes = kLanes<Word>;
  if (width == 0) return;
  for (size_t k = 0; k < kBits<Word>; ++k, in += lanes) {
    const size_t shift = k * width % kBits<Word>;
    Word* word = out + k * width / kBits<Word> * lanes;
    if (shift == 0) {
      for (size_t j = 0; j < lanes; ++j) word[j] = folded(in[j]);
    } else {
      for (size_t j = 0; j < lanes; ++j) word[j] |= folded(in[j]) << shift;
    }
    if (shift + width <= kBits<Word>) continue;
    for (size_t j = 0; j < lanes; ++j) word[lanes + j] = folded(in[j]) >> (kBits<Word> - shift);
  }
}

template <class Word>
void unpack_words(const Word* __restrict in, size_t width, Word* __restrict out) {
  constexpr size_t lanes = kLanes<Word>;
  const Word mask = width == kBits<Word> ? ~Word{0} : (Word{1} << width) - 1;
  for (size_t k = 0; k < kBits<Word>; ++k, out += lanes) {
    const size_t shift = k * width % kBits<Word>;
    const Word* word = in + k * width / kBits<Word> * lanes;
    if (shift + width <= kBits<Word>) {
      for (size_t j = 0; j < lanes; ++j) out[j] = unfolded<Word>(word[j] >> shift & mask);
    } else {
      const size_t rest = kBits<Word> - shift;
      for (size_t j = 0; j < lanes; ++j)
        out[j] = unfolded<Word>((word[j] >> shift | word[lanes + j] << rest) & mask);
    }
  }
}

}  // namespace

bool is_packed(Element element, size_t count) {
  return (element == Element::i32 || element == Element::i64) && count >= kPackBlock;
}

size_t width_bytes(size_t count) {
  return (count / kPackBlock + 7) / 8 * 8;
}

size_t block_bytes(Element element, uint8_t width) {
  if (width > 8 * element_bytes(element))
    throw FrameError(fmt::format("integers of {} bits", width));
  return kPackBlock / 8 * width;
}

template <class T>
size_t pack(std::span<const T> values, std::vector<int64_t>& out, size_t at) {
  using Word = std::make_unsigned_t<T>;
  const size_t blocks = values.size() / kPackBlock;
  const size_t most = 8 * at + width_bytes(values.size()) + values.size_bytes();
  if (out.size() * 8 < most) out.resize((most + 7) / 8);
  auto* const begin = reinterpret_cast<uint8_t*>(out.data() + at);
  std::memset(begin, 0, width_bytes(values.size()));
  auto* next = begin + width_bytes(values.size());
  for (size_t block = 0; block < blocks; ++block) {
    const auto* in = reinterpret_cast<const Word*>(values.data() + block * kPackBlock);
    const size_t width = width_of(in);
    begin[block] = static_cast<uint8_t>(width);
    pack_block(in, width, reinterpret_cast<Word*>(next));
    next += kPackBlock / 8 * width;
  }
  const auto rest = values.subspan(blocks * kPackBlock);
  if (!rest.empty()) std::memcpy(next, rest.data(), rest.size_bytes());
  return static_cast<size_t>(next - begin) + rest.size_bytes();
}

template size_t pack(std::span<const int32_t>, std::vector<int64_t>&, size_t);
template size_t pack(std::span<const int64_t>, std::vector<int64_t>&, size_t);

void unpack_block(Element element, uint8_t width, const std::byte* words, std::byte* out) {
  if (element == Element::i32) {
    unpack_words(reinterpret_cast<const uint32_t*>(words), width, reinterpret_cast<uint32_t*>(out));
  } else {
    unpack_words(reinterpret_cast<const uint64_t*>(words), width, reinterpret_cast<uint64_t*>(out));
  }
}

}  // namespace maskbench
