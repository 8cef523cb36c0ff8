#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace maskbench {

enum class Colour { dim = 2, red = 31, green = 32 };

// What can be written to a stream.
struct Terminal {
  size_t width = 80;     // columns; 80 where nobody says
  bool is_live = false;  // lines can be drawn over
  bool has_colour = false;

  std::string paint(std::string_view text, Colour colour) const;
};

// COLUMNS sets the width; NO_COLOR (if not empty) and TERM=dumb turn colours off.
Terminal terminal_of(std::FILE* out);

}  // namespace maskbench
