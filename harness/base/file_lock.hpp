#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/folder.hpp"

namespace maskbench {

// A lock that the kernel drops when the process ends in any way (also over NFS), with a note for
// others to read.
class FileLock {
 public:
  enum class Kind { kShared, kExclusive };

  // Waits, or does not.
  static FileLock wait(const Folder& folder, const std::string& name, Kind kind);
  static std::optional<FileLock> try_lock(const Folder& folder, const std::string& name, Kind kind);
  static bool is_held(const Folder& folder, const std::string& name);

  void note(std::string_view text);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace maskbench
