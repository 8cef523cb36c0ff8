#include "harness/data/csv.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/data/csv_chunk.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

constexpr size_t kBatch = 8;  // blocks parsed at a time while the next are read
constexpr size_t kMaxCategories = size_t{1} << 24;  // a float holds every code up to here

[[noreturn]] void fail(const std::string& path, size_t line, size_t column,
                       const std::string& what) {
  throw Error(fmt::format("{}:{}:{}: {}", path, line, column, what));
}

size_t half_the_memory() {
  return static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

std::vector<std::string> header_names(CsvFields& fields) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  do {
    names.emplace_back(fields.next());
    const std::string& name = names.back();
    if (!is_utf8(name)) {
      fields.fail(
          fmt::format("column name '{}' is not UTF-8; convert the file, e.g. by iconv -t UTF-8",
                      printable(name)));
    }
    if (!seen.insert(name).second) {
      fields.fail(fmt::format("a second column '{}'; rename one", printable(name)));
    }
  } while (!fields.record_ended());
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_header(const std::vector<std::string>& names, const CsvOptions& options) {
  float ignored = 0;
  const bool numbers = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return parse_number(name, ignored) != NumberKind::text;
  });
  if (numbers) throw CsvProblem(1, 1, "no header; put the columns' names in the first line");
  if (!has(names, options.label) && options.label_required) {
    throw CsvProblem(1, 1,
                     fmt::format("no column '{}' for the labels{}; name the target's column in "
                                 "data.label (there are {})",
                                 printable(options.label), did_you_mean(options.label, names),
                                 printable(join(names, ", "))));
  }
  const auto must_be_there = [&](const std::vector<std::string>& wanted, const char* key) {
    for (const std::string& name : wanted) {
      if (has(names, name)) continue;
      throw CsvProblem(1, 1,
                       fmt::format("no column '{}', which {} names{}", printable(name), key,
                                   did_you_mean(name, names)));
    }
  };
  if (options.named_elsewhere) return;
  must_be_there(options.text_columns, "data.text_columns");
  must_be_there(options.drop, "data.drop or data.id");
}

CsvSchema read_header(CsvFields& fields, const CsvOptions& options) {
  std::vector<std::string> names = header_names(fields);
  check_header(names, options);
  CsvSchema schema;
  schema.regression = options.regression;
  schema.has_label = has(names, options.label);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == options.label) {
      schema.columns.push_back(CsvSchema::kLabel);
    } else if (has(options.drop, names[i])) {
      schema.columns.push_back(CsvSchema::kDropped);
    } else if (names[i].empty()) {
      throw CsvProblem(1, 1, fmt::format("column {} has no name; give it one", i + 1));
    } else {
      schema.columns.push_back(static_cast<int>(schema.names.size()));
      schema.is_text.push_back(has(options.text_columns, names[i]));
      schema.names.push_back(std::move(names[i]));
    }
  }
  if (schema.names.empty()) throw CsvProblem(1, 1, "no column but label; add the features");
  return schema;
}

// A category feature in the making; the codes are in order of appearance until finish().
struct GrowingColumn {
  std::vector<float> values;
  Dictionary dictionary;

  void append(const CsvChunk& chunk, size_t feature, bool is_text) {
    const std::vector<float>& more = chunk.columns[feature];
    if (!is_text) {
      values.insert(values.end(), more.begin(), more.end());
      return;
    }
    std::vector<float> codes;
    for (const std::string& text : chunk.dictionaries[feature].texts()) {
      codes.push_back(static_cast<float>(dictionary.code_of(text)));
    }
    recode(more, codes);
  }

  // Byte order of the texts.
  std::vector<std::string> sort_categories() {
    const std::vector<std::string>& texts = dictionary.texts();
    std::vector<uint32_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
    std::vector<float> codes(texts.size());
    std::vector<std::string> sorted;
    for (const uint32_t code : order) {
      codes[code] = static_cast<float>(sorted.size());
      sorted.push_back(texts[code]);
    }
    const std::vector<float> old = std::move(values);
    values.clear();
    recode(old, codes);
    return sorted;
  }

 private:
  void recode(const std::vector<float>& more, const std::vector<float>& codes) {
    for (const float code : more) {
      values.push_back(std::isnan(code) ? code : codes[static_cast<size_t>(code)]);
    }
  }
};

// One pass over a file with a guess of which columns are text. A cell that proves the guess wrong
// asks for another pass; texts seen before it as numbers would else be lost.
class CsvPass {
 public:
  CsvPass(const std::string& path, CsvSchema schema, size_t most_bytes, ThreadPool& pool)
      : path_(path),
        schema_(std::move(schema)),
        most_bytes_(most_bytes),
        pool_(pool),
        columns_(schema_.names.size()) {}

  // Returns the cells that prove further columns to be text.
  std::vector<TextCell> run(CsvBlocks& blocks, std::string first_rows, size_t first_line) {
    lines_ = first_line - 1;
    std::vector<std::string> batch = {std::move(first_rows)}, next;
    while (!batch.empty()) {
      std::vector<CsvChunk> chunks(batch.size());
      pool_.run(batch.size() + 1, [&](size_t task, int) {
        if (task == 0) {
          next = read_batch(blocks);
        } else {
          chunks[task - 1] = parse_chunk(batch[task - 1], schema_);
        }
      });
      for (CsvChunk& chunk : chunks) append(chunk);
      batch = std::move(next);
    }
    return std::move(surprises_);
  }

  Dataset finish() {
    Dataset data;
    data.labels = std::move(labels_);
    for (size_t f = 0; f < columns_.size(); ++f) {
      Column column{schema_.names[f], {}, {}};
      if (schema_.is_text[f]) column.categories = columns_[f].sort_categories();
      column.values = std::move(columns_[f].values);
      data.features.push_back(std::move(column));
    }
    return data;
  }

 private:
  static std::vector<std::string> read_batch(CsvBlocks& blocks) {
    std::vector<std::string> batch;
    std::string block;
    while (batch.size() < kBatch && blocks.next(block)) batch.push_back(std::move(block));
    return batch;
  }

  void append(CsvChunk& chunk) {
    if (chunk.problem) {
      fail(path_, lines_ + chunk.problem->line, chunk.problem->column, chunk.problem->what());
    }
    for (TextCell& cell : chunk.surprises) {
      cell.line += lines_;
      surprises_.push_back(std::move(cell));
    }
    const size_t rows = chunk.columns[0].size();
    if (!schema_.has_label) chunk.labels.assign(rows, std::numeric_limits<float>::quiet_NaN());
    labels_.insert(labels_.end(), chunk.labels.begin(), chunk.labels.end());
    size_t bytes = labels_.size() * (columns_.size() + 1) * sizeof(float);
    for (size_t f = 0; f < columns_.size(); ++f) {
      columns_[f].append(chunk, f, schema_.is_text[f]);
      bytes += columns_[f].dictionary.bytes();
      if (columns_[f].dictionary.texts().size() <= kMaxCategories) continue;
      fail(path_, lines_ + 1, 1,
           fmt::format("column '{}' has over {} different texts; drop it",
                       printable(schema_.names[f]), kMaxCategories));
    }
    lines_ += chunk.lines;
    if (bytes > most_bytes_)
      fail(path_, lines_, 1,
           fmt::format("a table of over {} MB, half of this machine's memory; use fewer rows",
                       most_bytes_ >> 20));
  }

  const std::string& path_;
  CsvSchema schema_;
  size_t most_bytes_;
  ThreadPool& pool_;
  std::vector<float> labels_;
  std::vector<GrowingColumn> columns_;
  std::vector<TextCell> surprises_;
  size_t lines_ = 0;
};

// Usual spellings of "missing": beside numbers alone they are surely not meant as categories.
bool is_missing_marker(std::string_view text) {
  static constexpr std::array<std::string_view, 18> kMarkers = {
      "?",    "-",    ".",    "na",   "NA",  "N/A",  "n/a",  "nan",  "NaN",
      "-nan", "null", "NULL", "None", "inf", "-inf", "+inf", "-NaN", "Inf"};
  return std::find(kMarkers.begin(), kMarkers.end(), text) != kMarkers.end();
}

// What the cells of a column with text are.
struct CellCount {
  size_t numbers = 0;
  size_t texts = 0;
  bool markers_only = true;  // the texts are all spellings of "missing"

  explicit CellCount(const Column& column) {
    std::vector<bool> is_number;
    float ignored = 0;
    for (const std::string& text : column.categories) {
      is_number.push_back(parse_number(text, ignored) == NumberKind::number);
      markers_only &= is_number.back() || is_missing_marker(text);
    }
    for (const float code : column.values) {
      if (!std::isnan(code)) ++(is_number[static_cast<size_t>(code)] ? numbers : texts);
    }
  }
};

// A few texts in a column of numbers are a slip, and would turn all of it into categories.
void refuse_stray_texts(const std::string& path, const Dataset& data,
                        const std::vector<TextCell>& first_texts) {
  constexpr size_t kFew = 10;  // at least nine numbers for a text
  for (const TextCell& cell : first_texts) {
    const Column& column = data.features[cell.feature];
    const CellCount count(column);
    const auto refuse = [&](const std::string& what) {
      fail(path, cell.line, cell.column,
           fmt::format("'{}' among the numbers of column '{}'; {}", printable(cell.text),
                       printable(column.name), what));
    };
    if (count.numbers > 0 && count.markers_only) refuse("leave a missing value empty");
    if (count.numbers >= (kFew - 1) * count.texts)
      refuse(
          fmt::format("{} of its {} cells are text: mend them, or name the column in "
                      "data.text_columns if it is meant as categories",
                      count.texts, count.texts + count.numbers));
  }
}

Dataset read_passes(const std::string& path, const CsvOptions& options, ThreadPool& pool) {
  std::vector<TextCell> first_texts;
  std::optional<CsvSchema> schema;
  while (true) {
    CsvBlocks blocks(path, options.block_bytes);
    std::string block;
    if (!blocks.next(block)) throw Error(path + ": the file is empty; it needs a header and rows");
    CsvFields fields(block);
    CsvSchema header = read_header(fields, options);
    if (!schema) schema = std::move(header);
    std::string rows = block.substr(fields.position());
    // Most text columns show in the first block, which spares a pass.
    for (const TextCell& cell : parse_chunk(rows, *schema).surprises) {
      schema->is_text[cell.feature] = true;
      first_texts.push_back(cell);
      first_texts.back().line += fields.line() - 1;
    }
    CsvPass pass(path, *schema, options.most_bytes > 0 ? options.most_bytes : half_the_memory(),
                 pool);
    const std::vector<TextCell> surprises = pass.run(blocks, std::move(rows), fields.line());
    if (surprises.empty()) {
      Dataset data = pass.finish();
      if (data.rows() == 0) fail(path, fields.line(), 1, "no row after the header; add rows");
      refuse_stray_texts(path, data, first_texts);
      return data;
    }
    for (const TextCell& cell : surprises) {
      if (schema->is_text[cell.feature]) continue;
      schema->is_text[cell.feature] = true;
      first_texts.push_back(cell);
    }
  }
}

}  // namespace

Dataset read_csv(const std::string& path, const CsvOptions& options, ThreadPool& pool) {
  try {
    Dataset data = read_passes(path, options, pool);
    data.source = "file";
    data.path = path;
    return data;
  } catch (const CsvProblem& problem) {  // of the header
    fail(path, problem.line, problem.column, problem.what());
  }
}

}  // namespace maskbench
