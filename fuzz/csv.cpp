#include "harness/data/csv.hpp"

#include <cmath>

#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench::fuzz {
namespace {

// What a reader of the data may rely on.
void check(const Dataset& data, const CsvOptions& options) {
  must(data.rows() > 0 && !data.features.empty());
  for (const Column& column : data.features) {
    must(column.values.size() == data.rows() && is_utf8(column.name));
    const auto codes = static_cast<float>(column.categories.size());
    for (const float v : column.values) {
      must(!std::isinf(v));
      if (std::isnan(v) || !column.is_categorical()) continue;
      must(v >= 0 && v < codes && v == std::floor(v));
    }
  }
  for (const float label : data.labels) {
    if (!options.label_required) continue;
    must(std::isfinite(label) && (options.regression || label == 0 || label == 1));
  }
}

void read(std::string_view bytes, const CsvOptions& options) {
  static ThreadPool alone(1);
  try {
    check(read_csv(in_memory(bytes), options, alone), options);
  } catch (const Error& error) {
    const std::string_view text = error.what();
    must(text.find('\n') == std::string_view::npos && is_utf8(text));
  }
}

}  // namespace

void csv(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  CsvOptions options;
  options.regression = choice & 1;
  options.label_required = choice & 2;
  if (choice & 4) options.text_columns = {"a"};
  // Small blocks, so that a small input is cut between them.
  options.block_bytes = size_t{16} << (choice >> 3 & 15) % 8;
  read(bytes.substr(1), options);
}

void gz(std::string_view bytes) {
  CsvOptions options;
  options.block_bytes = 512;
  read(bytes, options);
}

}  // namespace maskbench::fuzz
