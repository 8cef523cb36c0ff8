#pragma once

#include <cstdint>

#include "harness/base/enum_names.hpp"

namespace maskbench {

// The two parties. AP, the active party, has the labels and some features; PP, the passive party,
// has other features of the same rows.
enum class Party : uint8_t { ap, pp };

template <>
inline constexpr auto kNames<Party> = names("AP", "PP");

constexpr Party other(Party p) {
  return p == Party::ap ? Party::pp : Party::ap;
}

}  // namespace maskbench
