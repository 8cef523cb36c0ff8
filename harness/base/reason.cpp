#include "harness/base/reason.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace maskbench {

std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error)) return one_line(error.what());
  if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error))
    return "not enough memory; use fewer rows, fewer threads or a machine with more";
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return one_line(fmt::format("{}: {}", file->path1().string(), file->code().message()));
  if (const auto* system = dynamic_cast<const std::system_error*>(&error))
    return one_line(
        fmt::format("the system refuses: {}; use fewer --threads or --workers, or raise "
                    "its limits",
                    system->code().message()));
  if (dynamic_cast<const std::domain_error*>(&error) ||
      dynamic_cast<const std::overflow_error*>(&error))
    return "these budgets are beyond what can be computed; use less extreme ones";
  return one_line(fmt::format("a fault of the program, please report it: {}", error.what()));
}

}  // namespace maskbench
