#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maskbench {

// Whether a text can stand for one file: letters, digits, '-', '_' and '.', not '.' or '-' first,
// at most 128 of them. So it leads nowhere, hides nothing and is no formula of a spreadsheet.
bool is_plain_name(std::string_view name);

// A directory that is held open. What lies in it is reached from there by one name, no link is
// followed on the way, and only plain files are opened: whatever a manifest or a results file says,
// nothing outside is read or written.
class Folder {
 public:
  // The path is the user's own and may lead over links.
  static Folder made(const std::string& path);
  static std::optional<Folder> existing(const std::string& path);
  Folder inside(const std::string& name) const;  // made if it is not there

  const std::string& path() const { return path_; }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const;  // sorted
  bool has(const std::string& name) const;

  std::optional<std::string> read(const std::string& name) const;  // nullopt: there is none
  // The file has either its old content or all of the new, on disk when the call returns, whatever
  // happens meanwhile.
  void write(const std::string& name, const std::string& temporary, std::string_view content) const;
  // Adds all of `content`, or nothing if the disk has no room for it.
  void append(const std::string& name, std::string_view content) const;
  void remove(const std::string& name) const;
  void move(const std::string& name, const Folder& to) const;  // nothing if there is none

  int open_file(const std::string& name, int flags) const;  // -1: there is none

  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

 private:
  Folder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_ = -1;
};

}  // namespace maskbench
