#include "harness/data/csv_chunk.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kTooLarge = "is beyond a float's range; rescale the column";

// from_chars does not tell too large from too small.
NumberKind parse_extreme(std::string_view text, float& value) {
  value = static_cast<float>(std::strtod(std::string(text).c_str(), nullptr));
  return std::isinf(value) ? NumberKind::too_large : NumberKind::number;
}

class ChunkParser {
 public:
  ChunkParser(std::string_view text, const CsvSchema& schema) : fields_(text), schema_(schema) {
    chunk_.columns.resize(schema.names.size());
    chunk_.dictionaries.resize(schema.names.size());
    surprised_.resize(schema.names.size());
  }

  CsvChunk parse() {
    try {
      while (fields_.skip_blank_lines()) parse_row();
    } catch (const CsvProblem& problem) {
      chunk_.problem = problem;
    }
    chunk_.lines = fields_.line() - 1;
    return std::move(chunk_);
  }

 private:
  void parse_row() {
    size_t done = 0;
    const size_t width = schema_.columns.size();
    const size_t line = fields_.line();
    do {
      const std::string_view cell = fields_.next();
      if (done++ < width) take(cell, schema_.columns[done - 1]);
    } while (!fields_.record_ended());
    if (done == width) return;
    throw CsvProblem(line, 1,
                     fmt::format("{} fields where the header has {}; mend the row", done, width));
  }

  void take(std::string_view cell, int column) {
    if (column == CsvSchema::kDropped) return;
    if (column == CsvSchema::kLabel) {
      chunk_.labels.push_back(label_of(cell));
      return;
    }
    const auto feature = static_cast<size_t>(column);
    chunk_.columns[feature].push_back(value_of(cell, feature));
  }

  float label_of(std::string_view cell) const {
    float value = 0;
    const NumberKind kind = parse_number(cell, value);
    const bool good =
        kind == NumberKind::number && (schema_.regression || value == 0.0f || value == 1.0f);
    if (!good) {
      fields_.fail(fmt::format("label '{}'; write {}", printable(cell),
                               schema_.regression ? "a finite number" : "0 or 1"));
    }
    return value;
  }

  float value_of(std::string_view cell, size_t feature) {
    if (cell.empty()) return kNoValue;
    if (schema_.is_text[feature]) return static_cast<float>(code_of(cell, feature));
    float value = kNoValue;
    const NumberKind kind = parse_number(cell, value);
    if (kind == NumberKind::too_large) {
      fields_.fail(fmt::format("'{}' {}", printable(cell), kTooLarge));
    }
    if (kind == NumberKind::text) note_surprise(cell, feature);
    return value;
  }

  uint32_t code_of(std::string_view cell, size_t feature) {
    Dictionary& dictionary = chunk_.dictionaries[feature];
    const size_t before = dictionary.texts().size();
    const uint32_t code = dictionary.code_of(cell);
    if (dictionary.texts().size() > before && !is_utf8(cell)) fail_utf8(cell);
    return code;
  }

  void note_surprise(std::string_view cell, size_t feature) {
    if (!is_utf8(cell)) fail_utf8(cell);
    if (surprised_[feature]) return;
    surprised_[feature] = true;
    chunk_.surprises.push_back(
        {feature, std::string(cell), fields_.field_line(), fields_.field_column()});
  }

  [[noreturn]] void fail_utf8(std::string_view cell) const {
    fields_.fail(fmt::format("'{}' is not UTF-8; convert the file, e.g. by iconv -t UTF-8",
                             printable(cell)));
  }

  CsvFields fields_;
  const CsvSchema& schema_;
  CsvChunk chunk_;
  std::vector<bool> surprised_;
};

}  // namespace

uint32_t Dictionary::code_of(std::string_view text) {
  const auto found = codes_.find(text);
  if (found != codes_.end()) return found->second;
  const auto code = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(text);
  codes_.emplace(texts_.back(), code);
  bytes_ += 2 * (sizeof(std::string) + text.size());
  return code;
}

NumberKind parse_number(std::string_view text, float& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return NumberKind::text;
  }
  // from_chars would also take "inf" and "nan".
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) {
    return NumberKind::text;
  }
  float parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return NumberKind::text;
  }
  if (error != std::errc() || std::isinf(parsed)) return parse_extreme(text, value);
  value = parsed;
  return NumberKind::number;
}

CsvChunk parse_chunk(std::string_view text, const CsvSchema& schema) {
  return ChunkParser(text, schema).parse();
}

}  // namespace maskbench
