#include "harness/base/text.hpp"

#include <fmt/format.h>
#include <utf8.h>
#include <utf8/unchecked.h>

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

// What moves a terminal's cursor, or the order in which its letters are shown.
bool is_hidden(uint32_t point) {
  const auto within = [point](uint32_t low, uint32_t high) {
    return low <= point && point <= high;
  };
  return point < 0x20 || within(0x7F, 0x9F) || point == 0x61C || within(0x200B, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x206F) || point == 0xFEFF;
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
  // No smaller than the difference in length, so that most candidates need no look at their
  // letters.
  const auto distance_to = [&](std::string_view other) {
    const size_t apart = std::max(word.size(), other.size()) - std::min(word.size(), other.size());
    return apart < best_distance ? edit_distance(word, other) : best_distance;
  };
  for (const auto& candidate : candidates) {
    size_t distance = distance_to(candidate);
    // 'rounds' alone means 'train.rounds', and 'tree.rounds' is nearer to it than it looks.
    if (!dotted) distance = std::min(distance, distance_to(last_part(candidate)));
    if (dotted && last_part(word) == last_part(candidate)) distance = std::min<size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format("; did you mean '{}'?", one_line(*best)) : "";  // a column's name
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto valid = utf8::find_invalid(text.begin(), text.end());
    for (auto at = text.begin(); at != valid;) {
      const auto begin = at;
      const uint32_t point = utf8::unchecked::next(at);
      if (point == '\n' || point == '\t') {
        out += ' ';
      } else if (is_hidden(point)) {
        out += point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
      } else {
        out.append(begin, at);
      }
    }
    text.remove_prefix(static_cast<size_t>(valid - text.begin()));
    if (text.empty()) break;
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));  // no UTF-8
    text.remove_prefix(1);
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
