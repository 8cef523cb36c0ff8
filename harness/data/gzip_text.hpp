#pragma once

#include <zlib.h>

#include <memory>
#include <string>

#include "harness/base/open_file.hpp"

namespace maskbench {

// The text of a file, plain or gzipped by its first bytes. Unlike zlib's own reader it does not
// take what follows a member and is none for the end of the file: rows would be lost without a
// word. Zeros, with which tapes are filled, may follow.
class GzipText {
 public:
  explicit GzipText(const std::string& path);
  ~GzipText();
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;

  // Fewer bytes than asked for only at the end.
  size_t read(char* to, size_t most);

 private:
  bool fill();         // false at the end of the file
  bool next_member();  // false if there is none
  size_t inflate_some(char* to, size_t most);
  size_t copy_some(char* to, size_t most);

  std::string path_;
  OpenFile file_;
  std::string buffer_;
  z_stream stream_{};
  bool is_gzip_ = false;
  bool in_member_ = false;
};

}  // namespace maskbench
