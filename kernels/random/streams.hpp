#pragma once

#include <cstdint>

#include "kernels/random/philox.hpp"

namespace maskbench::kernels {

// Which numbers of one (tree, node, candidate, column) a counter yields. A stream's number
// is part of the counter, so two streams never share a block.
enum class Stream : uint32_t {
  kActive = 0,     // z of an active row (its r and p), indexed by its rank among them
  kRow = 1,        // a draw of its own: q + r of an inactive row, indexed by its rank among them
  kCollapsed = 2,  // R = m'r as one draw
  kSphereC = 3,    // c_i
  kSphereD = 4,    // d_i
  kRounding = 5,   // how AP rounds g and h to the grid of the noise, indexed by the row
};

inline constexpr uint32_t kMaxNode = (1u << 24) - 1;
inline constexpr uint32_t kMaxColumns = 1u << 8;
inline constexpr uint32_t kMaxTree = (1u << 28) - 1;

// The counter, 128 bits in four words:
//   x[0] block of four words   x[1] candidate   x[2] node << 8 | column   x[3] tree << 4 | stream
// The key is that of the party that draws: Philox's or, on the host, AES's.
template <class Key>
struct StreamIdOf {
  Key key;
  uint32_t tree = 0;
  uint32_t node = 0;
  uint32_t candidate = 0;
  uint32_t column = 0;
};
using StreamId = StreamIdOf<PhiloxKey>;

template <class Key>
MB_HD constexpr PhiloxBlock stream_counter(const StreamIdOf<Key>& id, Stream stream,
                                           uint32_t block) {
  return {{block, id.candidate, id.node << 8 | id.column,
           id.tree << 4 | static_cast<uint32_t>(stream)}};
}

// Normals are laid out in groups of 128: block b of the group gives positions b, b + 32, b + 64
// and b + 96, so that a warp or a vector writes neighbouring positions at once.
inline constexpr uint32_t kGroup = 128;
inline constexpr uint32_t kGroupBlocks = kGroup / 4;

MB_HD constexpr uint32_t block_of(uint32_t position) {
  return position / kGroup * kGroupBlocks + position % kGroupBlocks;
}

MB_HD constexpr uint32_t word_of(uint32_t position) {
  return position % kGroup / kGroupBlocks;
}

}  // namespace maskbench::kernels
