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
  const std::string_view text = error.what();
  const bool of_maths = dynamic_cast<const std::domain_error*>(&error) ||
                        dynamic_cast<const std::overflow_error*>(&error) ||
                        text.find("boost::") != std::string_view::npos;
  if (of_maths) return "these budgets are beyond what can be computed; use less extreme ones";
  if (dynamic_cast<const std::runtime_error*>(&error)) return one_line(text);  // of another room
  return one_line(fmt::format("a fault of the program, please report it: {}", text));
}

}  // namespace maskbench
