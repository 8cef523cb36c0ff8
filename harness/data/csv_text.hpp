#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/data/gzip_text.hpp"

namespace maskbench {

inline constexpr size_t kMaxCsvField = 4096;
inline constexpr size_t kMaxCsvLine = size_t{1} << 20;

// What is wrong in a text and how to mend it; lines and columns (in bytes) count from 1.
struct CsvProblem : std::runtime_error {
  CsvProblem(size_t at_line, size_t at_column, const std::string& what)
      : std::runtime_error(what), line(at_line), column(at_column) {}
  size_t line;
  size_t column;
};

// The text of a plain or gzipped file in blocks that end where a record ends.
class CsvBlocks {
 public:
  CsvBlocks(const std::string& path, size_t block_size);

  // False at the end. A record too long for a block is handed out as it is, for the parser to name.
  bool next(std::string& block);

 private:
  void read_more(std::string& text);

  size_t block_size_;
  std::optional<GzipText> file_;
  std::string rest_;
  bool at_end_ = false;
  bool at_start_ = true;
};

// Walks over the fields of a text that starts with a record.
class CsvFields {
 public:
  explicit CsvFields(std::string_view text) : text_(text) {}

  bool skip_blank_lines();  // false if nothing follows

  // The next field of the record, unquoted and trimmed; valid until the next call.
  std::string_view next();
  bool record_ended() const { return record_ended_; }

  size_t position() const { return position_; }
  size_t line() const { return line_; }  // of the position, from 1
  size_t field_line() const { return field_line_; }
  size_t field_column() const { return field_column_; }
  [[noreturn]] void fail(const std::string& what) const;  // at the field

 private:
  std::string_view plain_field();
  std::string_view quoted_field();
  void pass_delimiter();
  void start_line();

  std::string_view text_;
  size_t position_ = 0;
  size_t line_ = 1;
  size_t line_start_ = 0;
  size_t record_start_ = 0;
  size_t field_line_ = 1;
  size_t field_column_ = 1;
  bool record_ended_ = true;
  std::string unescaped_;
};

}  // namespace maskbench
