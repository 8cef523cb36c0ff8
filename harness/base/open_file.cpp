#include "harness/base/open_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/base/error.hpp"

namespace maskbench {

void fail_to(const char* verb, const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw Error(fmt::format("cannot {} {}: {}{}", verb, path, std::strerror(error),
                          full ? "; make room, then run again: what is finished is safe" : ""));
}

OpenFile::~OpenFile() {
  ::close(fd_);
}

std::string OpenFile::read(size_t most) const {
  std::string out;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to("read", path_, errno);
    if (n == 0) return out;
    out.append(buffer.data(), static_cast<size_t>(n));
    if (out.size() > most) throw Error(fmt::format("{}: over {} bytes", path_, most));
  }
}

void OpenFile::write(std::string_view content) const {
  while (!content.empty()) {
    const ssize_t n = ::write(fd_, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to("write", path_, errno);
    content.remove_prefix(static_cast<size_t>(n));
  }
}

void OpenFile::sync() const {
  if (::fsync(fd_) != 0) fail_to("write", path_, errno);
}

}  // namespace maskbench
