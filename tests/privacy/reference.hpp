#pragma once

#include <nlohmann/json.hpp>

namespace maskbench::privacy {

// tests/reference.json: numbers of an independent implementation.
const nlohmann::json& reference();

// |actual - expected| <= relative |expected| + absolute, with the entry printed where it fails.
void expect_close(double actual, double expected, const nlohmann::json& entry,
                  double relative = 1e-6, double absolute = 0);

}  // namespace maskbench::privacy
