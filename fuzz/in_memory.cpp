#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "fuzz/targets.hpp"

namespace maskbench::fuzz {

std::string in_memory(std::string_view bytes) {
  static const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(bytes.size());
  if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, bytes.data(), bytes.size(), 0) != size)
    throw std::runtime_error("no file in memory");
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace maskbench::fuzz
