#include "harness/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

[[noreturn]] void fail(const char* verb, const std::string& path, int error) {
  const char* remedy = error == ENOSPC || error == EDQUOT
                           ? "; free some space, then run again: finished runs are safe"
                           : "";
  throw Error(fmt::format("cannot {} {}: {}{}", verb, path, std::strerror(error), remedy));
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("open", path, errno);
  }
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd() const { return fd_; }

  void write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t n = ::write(fd_, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write", path_, errno);
      content.remove_prefix(static_cast<size_t>(n));
    }
  }

  void sync() const {
    if (::fsync(fd_) != 0) fail("write", path_, errno);
  }

 private:
  std::string path_;
  int fd_;
};

struct flock lock_request(FileLock::Kind kind) {
  struct flock request {};
  request.l_type = static_cast<short>(kind == FileLock::Kind::kShared ? F_RDLCK : F_WRLCK);
  request.l_whence = SEEK_SET;
  return request;
}

int open_lock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) fail("open", path, errno);
  return fd;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  if (!in || std::filesystem::is_directory(path))
    throw Error("cannot read " + path + ": no such file");
  out << in.rdbuf();
  return std::move(out).str();
}

void write_file_atomic(const std::string& path, const std::string& temporary,
                       std::string_view content) {
  try {
    const OpenFile file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(content);
    file.sync();
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("rename to", path, errno);
  const auto parent = std::filesystem::path(path).parent_path();
  OpenFile(parent.empty() ? "." : parent.string(), O_RDONLY | O_DIRECTORY).sync();
}

void append_file(const std::string& path, std::string_view content) {
  const OpenFile file(path, O_WRONLY | O_CREAT | O_APPEND);
  const off_t before = ::lseek(file.fd(), 0, SEEK_END);
  try {
    file.write(content);
  } catch (const Error&) {
    if (::ftruncate(file.fd(), before) != 0) fail("restore", path, errno);
    throw;
  }
}

FileLock FileLock::wait(const std::string& path, Kind kind) {
  const int fd = open_lock(path);
  struct flock request = lock_request(kind);
  while (::fcntl(fd, F_OFD_SETLKW, &request) != 0) {
    if (errno != EINTR) fail("lock", path, errno);
  }
  return FileLock(fd);
}

std::optional<FileLock> FileLock::try_lock(const std::string& path, Kind kind) {
  const int fd = open_lock(path);
  struct flock request = lock_request(kind);
  if (::fcntl(fd, F_OFD_SETLK, &request) == 0) return FileLock(fd);
  const int error = errno;
  ::close(fd);
  if (error != EAGAIN && error != EACCES) fail("lock", path, error);
  return std::nullopt;
}

bool FileLock::is_held(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  struct flock request = lock_request(Kind::kExclusive);
  if (::fcntl(file.fd(), F_OFD_GETLK, &request) != 0) fail("query the lock", path, errno);
  return request.l_type != F_UNLCK;
}

void FileLock::note(std::string_view text) {
  // Only for people's eyes, so a full disk does not matter here.
  if (::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, text.data(), text.size(), 0) < 0) return;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace maskbench
