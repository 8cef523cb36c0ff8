#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/base/metric.hpp"
#include "harness/privacy/readings.hpp"

namespace maskbench {

// A metric with what it is about: "message_bytes AP noise". Its reading only where there are
// several.
inline std::string full_name(const Metric& metric) {
  std::string out = metric.name;
  const auto add = [&](std::string_view word) {
    if (!word.empty()) out += fmt::format(" {}", word);
  };
  if (metric.of.party) add(name_of(*metric.of.party));
  add(metric.of.kind);
  add(metric.of.view);
  if (metric.name == "eps_other") add(privacy::to_string(*metric.of.reading));
  if (metric.of.queries > 0) add(fmt::format("{}", metric.of.queries));
  return out;
}

}  // namespace maskbench
