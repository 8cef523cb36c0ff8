#include "harness/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/base/open_file.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostStreamBytes = size_t{1} << 24;

int opened(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (fd < 0) fail_to("open", path, errno);
  return fd;
}

// Opened without waiting for a writer; a pipe that nobody writes to would hold us up for ever.
std::string from_pipe(const std::string& path, size_t most, std::chrono::milliseconds patience) {
  const OpenFile pipe(path, opened(path, O_RDONLY | O_NONBLOCK));
  pollfd ready{pipe.fd(), POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0)
    throw Error(fmt::format("cannot read {}: a pipe that nobody writes to", path));
  ::fcntl(pipe.fd(), F_SETFL, 0);  // from here on there is a writer, and its end is ours
  return pipe.read(most);
}

}  // namespace

std::string read_file(const std::string& path, size_t most, std::chrono::milliseconds patience) {
  if (fs::is_directory(path)) throw Error("cannot read " + path + ": it is a folder");
  if (!fs::exists(path)) throw Error("cannot read " + path + ": no such file");
  if (fs::is_fifo(path)) return from_pipe(path, std::min(most, kMostStreamBytes), patience);
  if (!fs::is_regular_file(path)) most = std::min(most, kMostStreamBytes);
  return OpenFile(path, opened(path, O_RDONLY)).read(most);
}

void write_file(const std::string& path, std::string_view content) {
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    OpenFile(path, opened(path, O_WRONLY)).write(content);
    return;
  }
  const fs::path target = fs::is_symlink(path) ? fs::weakly_canonical(path) : fs::path(path);
  const auto parent = target.parent_path();
  const auto folder = Folder::existing(parent.empty() ? "." : parent.string());
  if (!folder) throw Error(fmt::format("cannot write {}: no such directory", path));
  const std::string name = target.filename().string();
  folder->write(name, fmt::format(".{}.{}.tmp", name, ::getpid()), content);
}

void append_file(const std::string& path, std::string_view content) {
  OpenFile(path, opened(path, O_WRONLY | O_CREAT | O_APPEND)).write(content);
}

}  // namespace maskbench
