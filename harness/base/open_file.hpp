#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace maskbench {

// The Error for a failed call of the system.
[[noreturn]] void fail_to(const char* verb, const std::string& path, int error);

// A file descriptor with the path for messages.
class OpenFile {
 public:
  OpenFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd() const { return fd_; }
  // Throws if there are more than `most` bytes.
  std::string read(size_t most = std::numeric_limits<size_t>::max()) const;
  void write(std::string_view content) const;
  void sync() const;

 private:
  std::string path_;
  int fd_;
};

}  // namespace maskbench
