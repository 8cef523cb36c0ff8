#pragma once

#include <stdexcept>

namespace maskbench::privacy {

// The budget cannot be met; the one-line message names the party and the nearest budget that can.
struct Infeasible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A parameter outside its domain (eps <= 0, delta outside (0, 1), an unknown reading ...).
struct InvalidBudget : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace maskbench::privacy
