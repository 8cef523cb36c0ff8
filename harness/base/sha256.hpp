#pragma once

#include <string>
#include <string_view>

namespace maskbench {

// In lower-case hex.
std::string sha256_of_text(std::string_view text);
std::string sha256_of_file(const std::string& path);

}  // namespace maskbench
