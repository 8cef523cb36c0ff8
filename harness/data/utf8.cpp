#include "harness/data/utf8.hpp"

#include <utf8.h>

#include <algorithm>

namespace maskbench {

bool is_utf8(std::string_view text) {
  return utf8::is_valid(text.begin(), text.end());
}

std::string printable(std::string_view text) {
  constexpr size_t kShown = 40;
  std::string shown(text.substr(0, kShown));
  auto bad = utf8::find_invalid(shown.begin(), shown.end());
  while (bad != shown.end()) {
    *bad = '?';
    bad = utf8::find_invalid(bad, shown.end());
  }
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return text.size() > kShown ? shown + "..." : shown;
}

}  // namespace maskbench
