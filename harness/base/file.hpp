#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <string_view>

namespace maskbench {

// A file that the user named. Throws if it has more than `most` bytes, having read little more; a
// pipe or a device, which may never end, has a limit of its own, and so has the time until a pipe's
// first byte.
std::string read_file(const std::string& path, size_t most = std::numeric_limits<size_t>::max(),
                      std::chrono::milliseconds patience = std::chrono::seconds(10));

// As Folder::write, for a path that the user named: a link keeps its place and its target gets the
// content; what is no plain file (a pipe, /dev/null) is written straight.
void write_file(const std::string& path, std::string_view content);

void append_file(const std::string& path, std::string_view content);

}  // namespace maskbench
