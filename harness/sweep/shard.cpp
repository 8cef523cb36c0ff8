#include "harness/sweep/shard.hpp"

#include <charconv>

namespace maskbench {
namespace {

constexpr size_t kMostShards = 1'000'000;

// Digits only: no sign, no blank, nothing behind them, no number too large to hold.
std::optional<size_t> whole(std::string_view text) {
  size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Shard> parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = whole(text.substr(0, slash)), count = whole(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > kMostShards)
    return std::nullopt;
  return Shard{*index - 1, *count};
}

}  // namespace maskbench
