#include "harness/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace maskbench {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

std::string nearest_name(std::string_view name, std::span<const std::string> options) {
  const auto distance = [&](const std::string& option) { return edit_distance(name, option); };
  const auto nearest = std::ranges::min_element(options, {}, distance);
  return nearest == options.end() ? "" : *nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 64) return "";  // no slip of the hand, and the distance takes its square
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  const bool dotted = word.find('.') != std::string_view::npos;
  for (const auto& candidate : candidates) {
    size_t distance = edit_distance(word, candidate);
    // 'rounds' alone means 'train.rounds', and 'tree.rounds' is nearer to it than it looks.
    if (!dotted) distance = std::min(distance, edit_distance(word, last_part(candidate)));
    if (dotted && last_part(word) == last_part(candidate)) distance = std::min<size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format("; did you mean '{}'?", *best) : "";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string one_line(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are controls too; in UTF-8 they are C2 80 to C2 9F.
    const bool second = i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2 && c < 0xA0;
    if (c == '\n' || c == '\t') {
      out += ' ';
    } else if (c < 0x20 || c == 0x7F || (second && c >= 0x80)) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<long>(seconds / 60 + 0.5);
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace maskbench
