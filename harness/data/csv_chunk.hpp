#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/data/csv_text.hpp"

namespace maskbench {

// Texts numbered in order of first appearance.
class Dictionary {
 public:
  uint32_t code_of(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }
  size_t bytes() const { return bytes_; }  // about what the texts take

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> texts_;
  size_t bytes_ = 0;
};

struct CsvSchema {
  // What a column of the file is, unless it is a feature.
  static constexpr int kLabel = -1;
  static constexpr int kDropped = -2;

  std::vector<std::string> names;  // of the features
  std::vector<bool> is_text;       // which of them are known to be categorical
  std::vector<int> columns;        // of the file: the feature's number, kLabel or kDropped
  bool has_label = true;
  bool regression = false;
};

// A cell that shows that a column is text.
struct TextCell {
  size_t feature = 0;
  std::string text;
  size_t line = 0;
  size_t column = 0;
};

struct CsvChunk {
  std::vector<float> labels;
  std::vector<std::vector<float>> columns;
  std::vector<Dictionary> dictionaries;  // a text column holds this chunk's own codes
  std::vector<TextCell> surprises;       // of columns that the schema takes for numeric
  std::optional<CsvProblem> problem;     // the first; what follows it is not parsed
  size_t lines = 0;
};

enum class NumberKind { number, text, too_large };

// A finite decimal number: [+-]digits[.digits][e[+-]digits].
NumberKind parse_number(std::string_view text, float& value);

// Lines count from the chunk's start.
CsvChunk parse_chunk(std::string_view text, const CsvSchema& schema);

}  // namespace maskbench
