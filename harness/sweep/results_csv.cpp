#include "harness/sweep/results_csv.hpp"

namespace maskbench {
namespace {

void append_cell(std::string& out, const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void append_csv(std::string& out, const CsvRow& row) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, row[i]);
  }
  out += '\n';
}

void CsvReader::quoted(std::string& cell) {
  rest_.remove_prefix(1);
  while (!rest_.empty()) {
    const size_t quote = std::min(rest_.find('"'), rest_.size());
    cell += rest_.substr(0, quote);
    rest_.remove_prefix(std::min(quote + 1, rest_.size()));
    if (!rest_.starts_with('"')) return;
    cell += '"';
    rest_.remove_prefix(1);
  }
}

bool CsvReader::next(CsvRow& row) {
  row.clear();
  if (rest_.empty()) return false;
  while (true) {
    std::string& cell = row.emplace_back();
    if (rest_.starts_with('"')) quoted(cell);
    const size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    cell += rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      continue;
    }
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
    return true;
  }
}

}  // namespace maskbench
