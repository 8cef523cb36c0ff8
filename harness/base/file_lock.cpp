#include "harness/base/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "harness/base/open_file.hpp"

namespace maskbench {
namespace {

struct flock lock_request(FileLock::Kind kind) {
  struct flock request {};
  request.l_type = static_cast<short>(kind == FileLock::Kind::kShared ? F_RDLCK : F_WRLCK);
  request.l_whence = SEEK_SET;
  return request;
}

}  // namespace

FileLock FileLock::wait(const Folder& folder, const std::string& name, Kind kind) {
  FileLock lock(folder.open_file(name, O_RDWR | O_CREAT));
  struct flock request = lock_request(kind);
  while (::fcntl(lock.fd_, F_OFD_SETLKW, &request) != 0) {
    if (errno != EINTR) fail_to("lock", folder.path_of(name), errno);
  }
  return lock;
}

std::optional<FileLock> FileLock::try_lock(const Folder& folder, const std::string& name,
                                           Kind kind) {
  FileLock lock(folder.open_file(name, O_RDWR | O_CREAT));
  struct flock request = lock_request(kind);
  if (::fcntl(lock.fd_, F_OFD_SETLK, &request) == 0) return lock;
  if (errno != EAGAIN && errno != EACCES) fail_to("lock", folder.path_of(name), errno);
  return std::nullopt;
}

bool FileLock::is_held(const Folder& folder, const std::string& name) {
  const int fd = folder.open_file(name, O_RDONLY);
  if (fd < 0) return false;
  const OpenFile file(folder.path_of(name), fd);
  struct flock request = lock_request(Kind::kExclusive);
  if (::fcntl(fd, F_OFD_GETLK, &request) != 0)
    fail_to("query the lock", folder.path_of(name), errno);
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
