#include "harness/data/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "harness/base/error.hpp"

namespace maskbench {
namespace {

constexpr size_t kNone = std::string_view::npos;

// One past the last newline outside of quotes; 0 if there is none.
size_t last_record_end(std::string_view text) {
  if (text.find('"') == kNone) return text.rfind('\n') + 1;
  size_t end = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) end = i + 1;
  }
  return end;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvBlocks::CsvBlocks(const std::string& path, size_t block_size) : block_size_(block_size) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("{}: is a directory; name a .csv or .csv.gz file", path));
  }
  if (std::filesystem::is_fifo(path, ignored)) {  // it is read more than once
    throw Error(fmt::format("{}: is a pipe; write it to a file first", path));
  }
  file_.emplace(path);
}

void CsvBlocks::read_more(std::string& text) {
  const size_t before = text.size();
  text.resize(before + block_size_);
  const size_t got = file_->read(text.data() + before, block_size_);
  text.resize(before + got);
  at_end_ = got < block_size_;
}

bool CsvBlocks::next(std::string& block) {
  block = std::move(rest_);
  rest_.clear();
  while (!at_end_) {
    read_more(block);
    if (std::exchange(at_start_, false) && block.starts_with("\xEF\xBB\xBF")) block.erase(0, 3);
    if (at_end_) break;
    const size_t end = last_record_end(block);
    if (end > 0) {
      rest_.assign(block, end);
      block.resize(end);
      return true;
    }
    if (block.size() > kMaxCsvLine) return true;
  }
  return !block.empty();
}

void CsvFields::fail(const std::string& what) const {
  throw CsvProblem(field_line_, field_column_, what);
}

void CsvFields::start_line() {
  ++line_;
  line_start_ = position_;
}

bool CsvFields::skip_blank_lines() {
  while (position_ < text_.size()) {
    size_t end = position_;
    if (text_[end] == '\r') ++end;
    if (end < text_.size() && text_[end] != '\n') return true;
    position_ = std::min(end + 1, text_.size());
    start_line();
  }
  return false;
}

std::string_view CsvFields::next() {
  if (record_ended_) record_start_ = position_;
  field_line_ = line_;
  field_column_ = position_ - line_start_ + 1;
  const bool quoted = position_ < text_.size() && text_[position_] == '"';
  const std::string_view field = quoted ? quoted_field() : plain_field();
  if (field.size() > kMaxCsvField) {
    fail(fmt::format("a field of {} bytes, the limit is {}; shorten it", field.size(),
                     kMaxCsvField));
  }
  pass_delimiter();
  if (position_ - record_start_ > kMaxCsvLine) {
    fail(fmt::format("a line of over {} bytes; is this a CSV file with a line for each row?",
                     kMaxCsvLine));
  }
  return field;
}

// Stands on the comma or line end after a field, or at the end of the text.
void CsvFields::pass_delimiter() {
  record_ended_ = position_ == text_.size() || text_[position_] != ',';
  if (position_ == text_.size()) return;
  if (text_[position_] == '\r') ++position_;
  const bool new_line = text_[position_] == '\n';
  ++position_;
  if (new_line) start_line();
}

std::string_view CsvFields::plain_field() {
  const size_t start = position_;
  while (position_ < text_.size() && text_[position_] != ',' && text_[position_] != '\n') {
    if (text_[position_] == '"') {
      fail("a quote inside an unquoted field; put the field in quotes and double the quote");
    }
    ++position_;
  }
  const bool line_ends = position_ == text_.size() || text_[position_] == '\n';
  size_t end = position_;
  if (line_ends && end > start && text_[end - 1] == '\r') --end;
  return trimmed(text_.substr(start, end - start));
}

std::string_view CsvFields::quoted_field() {
  const size_t start = ++position_;
  unescaped_.clear();
  size_t copied = start;  // text before it is in unescaped_ already
  while (true) {
    const size_t quote = text_.find('"', position_);
    if (quote == kNone || quote - start > kMaxCsvField) {
      fail(fmt::format("a quoted field does not end within {} bytes; close its quote",
                       kMaxCsvField));
    }
    for (size_t i = position_; i < quote; ++i) {
      if (text_[i] != '\n') continue;
      ++line_;
      line_start_ = i + 1;
    }
    position_ = quote + 1;
    if (position_ >= text_.size() || text_[position_] != '"') break;
    unescaped_.append(text_, copied, position_ - copied);
    copied = ++position_;
  }
  const std::string_view follows = text_.substr(position_, 2);
  if (!follows.empty() && follows[0] != ',' && follows[0] != '\n' && follows != "\r\n") {
    fail("text after a closing quote; double a quote that belongs to the field");
  }
  const size_t end = position_ - 1;
  if (copied == start) return text_.substr(start, end - start);
  return unescaped_.append(text_, copied, end - copied);
}

}  // namespace maskbench
