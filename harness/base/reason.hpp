#pragma once

#include <exception>
#include <string>

namespace maskbench {

// What went wrong, in one line for the user: an Error says it itself; for what the system or a
// library throws the line says what it means for a run.
std::string reason_of(const std::exception& error);

}  // namespace maskbench
