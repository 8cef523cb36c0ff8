#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

// Bytes of the character that starts the text, or 0 if none does.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool too_high = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  constexpr size_t kShown = 40;
  const bool cut = text.size() > kShown;
  std::string shown;
  std::string_view rest = text.substr(0, kShown);
  while (!rest.empty()) {
    const size_t length = utf8_length(rest);
    const auto lead = static_cast<unsigned char>(rest[0]);
    shown += length == 0 || lead < 0x20 || lead == 0x7F ? "?" : rest.substr(0, length);
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return cut ? shown + "..." : shown;
}

}  // namespace maskbench
