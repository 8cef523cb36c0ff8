#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/exchange/element.hpp"

// Integers in as many bits as they need, without loss. Noise on a grid has about 16 significant
// bits of its 32 or 64, and on a line bytes cost more than the shifting does.
//
// `count` integers become
//   widths  u8 for every block of 512 integers: the bits of each of them; zeros up to a multiple
//           of 8 bytes
//   blocks  64 * width bytes each
//   rest    count % 512 integers as they lie in memory
// In a block the sign of v is its lowest bit: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... The words of a
// block are 512 / bits lanes side by side, so that a loop over the lanes is one of vectors: integer
// k of lane j has its `width` bits from bit k * width on in the words j, j + lanes, j + 2 lanes ...
namespace maskbench {

inline constexpr size_t kPackBlock = 512;  // integers

// Whether a message is packed: signed integers, at least a block of them.
bool is_packed(Element element, size_t count);

// The bytes of the widths of so many integers.
size_t width_bytes(size_t count);
// The bytes of a block of this width. Throws FrameError if the integers do not have so many bits.
size_t block_bytes(Element element, uint8_t width);

// The packed form, behind the first `at` words of `out`, which grows if it has to; the bytes that
// it takes.
template <class T>
size_t pack(std::span<const T> values, std::vector<int64_t>& out, size_t at);

// kPackBlock integers out of block_bytes(width) of `words`.
void unpack_block(Element element, uint8_t width, const std::byte* words, std::byte* out);

}  // namespace maskbench
