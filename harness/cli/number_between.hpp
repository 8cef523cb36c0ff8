#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

namespace maskbench {

// For an option that takes a number from low to high. CLI11's own range lets nan pass, which is
// neither below nor above.
inline CLI::Validator number_between(double low, double high) {
  const auto is_a_number = [](std::string& text) -> std::string {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? "must be a number, not 'nan'" : "";
  };
  return CLI::Range(low, high) & CLI::Validator(is_a_number, "");
}

}  // namespace maskbench
