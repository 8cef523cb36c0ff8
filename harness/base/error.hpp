#pragma once

#include <stdexcept>

namespace maskbench {

// Something the user can mend: the message is one line that names the place and the remedy.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace maskbench
