#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maskbench {

using CsvRow = std::vector<std::string>;

// RFC 4180, with \n at the end of a record.
void append_csv(std::string& out, const CsvRow& row);

// Reads what append_csv wrote: cells as they are, of any length, also from the first bytes of a
// longer file. The reader of data sets (CsvFields) is another on purpose: it trims cells, passes
// over blank lines, keeps track of places, and refuses long cells and a record that is cut off.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}
  bool next(CsvRow& row);  // false at the end
  std::string_view rest() const { return rest_; }

 private:
  void quoted(std::string& cell);
  std::string_view rest_;
};

}  // namespace maskbench
