#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace maskbench {

std::string read_file(const std::string& path);

// The file has either its old content or all of the new, on disk when the call returns, whatever
// happens meanwhile. `temporary` must lie in the same directory.
void write_file_atomic(const std::string& path, const std::string& temporary,
                       std::string_view content);

// Adds all of `content`, or nothing if the disk has no room for it.
void append_file(const std::string& path, std::string_view content);

// A lock that the kernel drops when the process ends in any way (also over NFS), with a note for
// others to read.
class FileLock {
 public:
  enum class Kind { kShared, kExclusive };

  // Waits, or does not.
  static FileLock wait(const std::string& path, Kind kind);
  static std::optional<FileLock> try_lock(const std::string& path, Kind kind);
  static bool is_held(const std::string& path);

  void note(std::string_view text);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace maskbench
