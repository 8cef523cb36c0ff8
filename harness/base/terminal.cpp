#include "harness/base/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace maskbench {
namespace {

constexpr size_t kLeast = 40;  // narrower tables are of no use

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

size_t width_of(int file) {
  size_t columns = 0;
  const std::string_view told = environment("COLUMNS");
  std::from_chars(told.data(), told.data() + told.size(), columns);
  winsize size{};
  if (columns == 0 && ioctl(file, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? Terminal{}.width : std::max(columns, kLeast);
}

}  // namespace

std::string Terminal::paint(std::string_view text, Colour colour) const {
  if (!has_colour) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", static_cast<int>(colour), text);
}

Terminal terminal_of(std::FILE* out) {
  const int file = fileno(out);
  Terminal terminal;
  terminal.width = width_of(file);
  terminal.is_live = isatty(file) == 1;
  terminal.has_colour =
      terminal.is_live && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return terminal;
}

}  // namespace maskbench
