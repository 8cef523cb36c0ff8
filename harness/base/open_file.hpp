#pragma once

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
  std::string read() const;
  void write(std::string_view content) const;
  void sync() const;

 private:
  std::string path_;
  int fd_;
};

}  // namespace maskbench
