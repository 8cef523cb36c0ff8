#pragma once

#include <span>
#include <string>
#include <string_view>

namespace maskbench {

// The option that takes the fewest edits (insert, erase, replace a byte) to reach from the name;
// the first of equals. Empty if there is none.
std::string nearest_name(std::string_view name, std::span<const std::string> options);

}  // namespace maskbench
