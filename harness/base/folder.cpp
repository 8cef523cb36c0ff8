#include "harness/base/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/open_file.hpp"

namespace maskbench {
namespace {

// One part of a path: no way up, no way down.
const char* part(const std::string& name) {
  const bool good = !name.empty() && name != "." && name != ".." &&
                    name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  if (!good) throw Error(fmt::format("'{}' is no name of a file; names have no '/'", name));
  return name.c_str();
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto good = [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '-' || c == '_' || c == '.');
  };
  return !name.empty() && name.size() <= 128 && name[0] != '.' && name[0] != '-' &&
         std::ranges::all_of(name, good);
}

Folder Folder::made(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  auto folder = existing(path);
  if (!folder) {
    const std::string why = error ? error.message() : "it is not a directory";
    throw Error(fmt::format("cannot create {}: {}", path, why));
  }
  return std::move(*folder);
}

std::optional<Folder> Folder::existing(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (fd < 0) fail_to("open", path, errno);
  return Folder(path, fd);
}

Folder Folder::inside(const std::string& name) const {
  if (::mkdirat(fd_, part(name), 0777) != 0 && errno != EEXIST)
    fail_to("create", path_of(name), errno);
  const int fd = ::openat(fd_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
    throw Error(path_of(name) + ": not a directory of its own; move it away");
  if (fd < 0) fail_to("open", path_of(name), errno);
  return {path_of(name), fd};
}

std::vector<std::string> Folder::names() const {
  const int fd = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(fd < 0 ? nullptr : ::fdopendir(fd), &::closedir);
  if (!dir) fail_to("read", path_, errno);
  std::vector<std::string> out;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  std::ranges::sort(out);
  return out;
}

bool Folder::has(const std::string& name) const {
  struct stat found {};
  return ::fstatat(fd_, part(name), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

int Folder::open_file(const std::string& name, int flags) const {
  // A pipe must not hold us up, a terminal not become ours.
  const int fd =
      ::openat(fd_, part(name), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  const auto refuse = [&] { throw Error(path_of(name) + ": not a plain file; move it away"); };
  if (fd < 0 && errno == ENOENT && !(flags & O_CREAT)) return -1;
  if (fd < 0 && (errno == ELOOP || errno == ENXIO || errno == EISDIR)) refuse();
  if (fd < 0) fail_to("open", path_of(name), errno);
  struct stat found {};
  const bool plain = ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  if (!plain) {
    ::close(fd);
    refuse();
  }
  return fd;
}

std::optional<std::string> Folder::read(const std::string& name) const {
  const int fd = open_file(name, O_RDONLY);
  if (fd < 0) return std::nullopt;
  return OpenFile(path_of(name), fd).read();
}

void Folder::write(const std::string& name, const std::string& temporary,
                   std::string_view content) const {
  ::unlinkat(fd_, part(temporary), 0);  // of a process that was killed
  try {
    const OpenFile file(path_of(temporary), open_file(temporary, O_WRONLY | O_CREAT | O_EXCL));
    file.write(content);
    file.sync();
  } catch (const Error&) {
    ::unlinkat(fd_, temporary.c_str(), 0);
    throw;
  }
  if (::renameat(fd_, temporary.c_str(), fd_, part(name)) != 0)
    fail_to("rename to", path_of(name), errno);
  if (::fsync(fd_) != 0) fail_to("write", path_, errno);
}

void Folder::append(const std::string& name, std::string_view content) const {
  const OpenFile file(path_of(name), open_file(name, O_WRONLY | O_CREAT | O_APPEND));
  const off_t before = ::lseek(file.fd(), 0, SEEK_END);
  try {
    file.write(content);
  } catch (const Error&) {
    if (::ftruncate(file.fd(), before) != 0) fail_to("restore", path_of(name), errno);
    throw;
  }
}

void Folder::remove(const std::string& name) const {
  if (::unlinkat(fd_, part(name), 0) != 0 && errno != ENOENT)
    fail_to("remove", path_of(name), errno);
}

void Folder::move(const std::string& name, const Folder& to) const {
  if (::renameat(fd_, part(name), to.fd_, name.c_str()) != 0 && errno != ENOENT)
    fail_to("move", path_of(name), errno);
}

Folder::Folder(Folder&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}
Folder::~Folder() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace maskbench
