#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maskbench {

// The option nearest to a name, by edits.
std::string nearest_name(std::string_view name, std::span<const std::string> options);

// The part of a dotted name after its last dot.
std::string_view last_part(std::string_view dotted);

// "; did you mean 'x'?" for the candidate that is likely meant, or nothing if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
// For a terminal: newlines and tabs become blanks, all that is hidden or no UTF-8 \xNN or \uNNNN.
std::string one_line(std::string_view text);
// 0.4 s, 12 s, 3 min, 2 h 5 min
std::string duration_text(double seconds);

}  // namespace maskbench
