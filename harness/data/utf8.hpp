#pragma once

#include <string>
#include <string_view>

namespace maskbench {

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// At most 40 bytes of a text, safe within a one-line message: what cannot be shown becomes '?'.
std::string printable(std::string_view text);

}  // namespace maskbench
