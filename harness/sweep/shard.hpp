#pragma once

#include <optional>
#include <string_view>

namespace maskbench {

// The i-th of N parts of a sweep.
struct Shard {
  size_t index = 0;  // from 0
  size_t count = 1;
};

// "i/N" with 1 <= i <= N <= 1000000, digits only.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace maskbench
