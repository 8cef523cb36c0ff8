#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maskbench {

// The words by which people and files call the values of an enum, in the enum's order:
//   template <> inline constexpr auto kNames<Color> = names("red", "green");
template <class Enum>
inline constexpr std::nullptr_t kNames = nullptr;

template <class... Words>
constexpr std::array<std::string_view, sizeof...(Words)> names(Words... words) {
  return {std::string_view(words)...};
}

template <class Enum>
concept Named = !std::is_same_v<decltype(kNames<Enum>), const std::nullptr_t>;

template <Named Enum>
constexpr std::string_view name_of(Enum value) {
  return kNames<Enum>[static_cast<size_t>(value)];
}

template <Named Enum>
constexpr std::optional<Enum> from_name(std::string_view word) {
  for (size_t i = 0; i < kNames<Enum>.size(); ++i) {
    if (kNames<Enum>[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <Named Enum>
std::vector<std::string> all_names() {
  return {kNames<Enum>.begin(), kNames<Enum>.end()};
}

}  // namespace maskbench
