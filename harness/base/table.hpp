#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace maskbench {

// The columns of a terminal that a text takes.
size_t text_width(std::string_view text);
// The text, or as much of it as fits with an ellipsis.
std::string cut_to(std::string_view text, size_t width);

// Lines of at most that width, broken at blanks; a word that is longer has a line of its own. Lines
// after the first are indented.
std::string wrapped(std::string_view text, size_t width, size_t indent = 4);
inline constexpr size_t kPageWidth = 80;

using Table = std::vector<std::vector<std::string>>;  // lines of cells, the first the header

// Aligned: the first column to the left, the others to the right. What does not fit the width is
// left out by whole columns, the last ones first, and a line names them; then the first column is
// cut. So no number is ever cut or wrapped.
std::string table_text(Table lines, size_t width);

}  // namespace maskbench
