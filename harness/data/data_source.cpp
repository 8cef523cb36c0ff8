#include "harness/data/data_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "harness/data/csv.hpp"
#include "harness/data/data_content.hpp"
#include "harness/data/data_place.hpp"
#include "harness/data/partition.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_no_file(const DataSpec& spec, const std::vector<std::string>& places) {
  if (is_data_path(spec.dataset)) {
    throw Error(fmt::format("data.dataset: no file {}; check the path", spec.dataset));
  }
  if (places.empty()) {
    throw Error(
        fmt::format("data.source: file, but no data directory is given for {}; use --data-dir or "
                    "MASKBENCH_DATA (scripts/fetch_data.py --dir DIR gets the files)",
                    spec.dataset));
  }
  throw Error(fmt::format(
      "data.source: file, but there is no {}; get it by scripts/fetch_data.py --dir {} {}, or set "
      "source: synthetic",
      fmt::join(places, " nor "), fs::path(places[0]).parent_path().string(), spec.dataset));
}

[[noreturn]] void fail_unknown(const DataSpec& spec, const std::vector<std::string>& places) {
  std::vector<std::string> names;
  for (const SyntheticShape& s : known_shapes()) names.push_back(s.name);
  throw Error(fmt::format(
      "data.dataset: '{}' is unknown{}; did you mean {}? (known: {}; a new synthetic shape needs "
      "data.rows and data.features)",
      spec.dataset, places.empty() ? "" : fmt::format(" and not at {}", fmt::join(places, ", ")),
      nearest_name(spec.dataset, names), fmt::join(names, ", ")));
}

void keep_rows(Dataset& data, const std::vector<uint32_t>& rows) {
  const auto keep = [&](std::vector<float>& values) {
    for (size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];  // rows[i] >= i
    values.resize(rows.size());
    values.shrink_to_fit();
  };
  keep(data.labels);
  for (Column& column : data.features) keep(column.values);
}

CsvOptions csv_options(const DataSpec& spec, bool regression) {
  CsvOptions options{.regression = regression,
                     .text_columns = spec.text_columns,
                     .label = spec.label,
                     .drop = spec.drop};
  if (!spec.id.empty()) options.drop.push_back(spec.id);
  return options;
}

Dataset load_file(const DataSpec& spec, const std::string& path, uint64_t seed, bool regression,
                  ThreadPool& pool) {
  if (spec.features > 0 || spec.positive_rate > 0) {
    throw Error(fmt::format(
        "data.{}: is for synthetic data, but {} is there; drop it or set source: synthetic",
        spec.features > 0 ? "features" : "positive_rate", path));
  }
  // Before, as half a file that is being replaced should not be called a bad one; after, as it can
  // be replaced while it is read.
  refuse_other_content(spec, path, file_content(path));
  Dataset data = read_csv(path, csv_options(spec, regression), pool);
  data.name = is_data_path(spec.dataset) ? stem_of(path) : spec.dataset;
  if (data.name.empty()) data.name = fs::path(path).filename().string();
  data.sha256 = sha256_of_file(path);
  refuse_other_content(spec, path, content_text(data.source, data.sha256));
  const auto same = [&](float label) { return label == data.labels[0]; };
  if (std::all_of(data.labels.begin(), data.labels.end(), same)) {
    throw Error(fmt::format("{}: every label is {}; there is nothing to learn, check the column",
                            path, data.labels[0]));
  }
  if (spec.rows <= 0) return data;
  if (static_cast<size_t>(spec.rows) > data.rows()) {
    throw Error(fmt::format("data.rows: {} of the {} rows of {}; take at most all", spec.rows,
                            data.rows(), path));
  }
  const auto count = static_cast<size_t>(spec.rows);
  keep_rows(data, draw_rows(data.labels, count, !regression, seed, "subsample"));
  return data;
}

}  // namespace

std::string data_file_of(const DataSpec& spec, const std::string& data_dir) {
  const std::string path = file_for(spec, data_dir);
  if (path.empty() && needs_file(spec)) fail_no_file(spec, places_of(spec.dataset, data_dir));
  return path;
}

Dataset load_data(const DataSpec& spec, const std::string& data_dir, uint64_t seed, bool regression,
                  ThreadPool& pool) {
  const std::string path = data_file_of(spec, data_dir);
  if (!path.empty()) return load_file(spec, path, seed, regression, pool);
  const auto shape = shape_for(spec);
  if (!shape) fail_unknown(spec, places_of(spec.dataset, data_dir));
  refuse_other_content(spec, spec.dataset, synthetic_content(*shape, regression));
  return generate_synthetic(*shape, regression, pool);
}

}  // namespace maskbench
