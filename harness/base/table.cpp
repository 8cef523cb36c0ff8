#include "harness/base/table.hpp"

#include <algorithm>
#include <numeric>

#include "harness/base/text.hpp"

namespace maskbench {
namespace {

constexpr size_t kGap = 2;          // blanks between two columns
constexpr size_t kLeastTitle = 36;  // of the first column: before it is cut, others go

// A byte that continues a UTF-8 character has no width.
bool continues(char c) {
  return (c & 0xC0) == 0x80;
}

std::vector<size_t> column_widths(const Table& lines) {
  std::vector<size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], text_width(line[i]));
  }
  return widths;
}

size_t width_of_rest(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin() + 1, widths.end(), size_t{0}) + kGap * (widths.size() - 1);
}

std::string aligned(const std::vector<std::string>& line, const std::vector<size_t>& widths) {
  std::string text;
  for (size_t i = 0; i < std::min(line.size(), widths.size()); ++i) {
    const std::string cell = cut_to(line[i], widths[i]);
    const std::string pad(widths[i] - text_width(cell), ' ');
    text += i == 0 ? cell + pad : std::string(kGap, ' ') + pad + cell;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

}  // namespace

size_t text_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut_to(std::string_view text, size_t width) {
  if (text_width(text) <= width) return std::string(text);
  size_t kept = 0;
  for (size_t shown = 0; shown + 1 < width || continues(text[kept]); ++kept) {
    if (!continues(text[kept])) ++shown;
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::string out;
  size_t column = 0;  // in the present line
  while (!text.empty()) {
    const size_t end = std::min(text.find(' ', text.find_first_not_of(' ')), text.size());
    std::string_view piece = text.substr(0, end);  // blanks and a word
    text.remove_prefix(end);
    if (column > 0 && column + text_width(piece) > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
      piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
    }
    out.append(piece);
    column += text_width(piece);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

std::string table_text(Table lines, size_t width) {
  for (auto& line : lines)
    for (auto& cell : line) cell = one_line(cell);
  std::vector<size_t> widths = column_widths(lines);
  if (widths.empty()) return "";
  const size_t title = std::min(widths[0], kLeastTitle);
  while (widths.size() > 1 && title + width_of_rest(widths) > width) widths.pop_back();
  const size_t rest = width_of_rest(widths);
  widths[0] = std::min(widths[0], std::max(title, width > rest ? width - rest : 0));
  std::string out;
  for (const auto& line : lines) out += aligned(line, widths);
  const auto& header = lines.front();
  if (header.size() <= widths.size()) return out;
  const std::vector<std::string> hidden(header.begin() + static_cast<std::ptrdiff_t>(widths.size()),
                                        header.end());
  return out + "not shown for want of width: " + join(hidden, ", ") + '\n';
}

}  // namespace maskbench
