#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace maskbench {

// In lower-case hex.
std::string sha256_of_text(std::string_view text);
std::string sha256_of_file(const std::string& path);
// HMAC-SHA-256: who does not know the key learns nothing of the text.
std::array<uint8_t, 32> keyed_hash(std::span<const uint8_t> key, std::string_view text);

}  // namespace maskbench
