#include "harness/data/data_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "harness/data/csv.hpp"
#include "harness/data/partition.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEndings[] = {".csv", ".csv.gz"};

// "dir/adult.csv.gz" is "adult"; empty if the name has neither ending.
std::string stem_of(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  for (const std::string ending : kEndings) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  }
  return "";
}

bool is_path(const std::string& dataset) {
  return dataset.find('/') != std::string::npos || !stem_of(dataset).empty();
}

std::vector<std::string> places_of(const std::string& dataset, const std::string& data_dir) {
  if (is_path(dataset)) return {dataset};
  std::vector<std::string> places;
  if (data_dir.empty()) return places;
  for (const char* ending : kEndings) {
    places.push_back((fs::path(data_dir) / (dataset + ending)).string());
  }
  return places;
}

std::string first_file(const std::vector<std::string>& places) {
  std::error_code ignored;
  for (const std::string& place : places) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return "";
}

[[noreturn]] void fail_no_file(const DataSpec& spec, const std::vector<std::string>& places) {
  if (is_path(spec.dataset)) {
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

SyntheticShape shape_for(const DataSpec& spec, const std::vector<std::string>& places) {
  SyntheticShape shape;
  if (const SyntheticShape* known = find_shape(spec.dataset)) {
    shape = *known;
  } else if (spec.rows <= 0 || spec.features <= 0) {
    std::vector<std::string> names;
    for (const SyntheticShape& s : known_shapes()) names.push_back(s.name);
    throw Error(fmt::format(
        "data.dataset: '{}' is unknown{}; did you mean {}? (known: {}; a new synthetic shape needs "
        "data.rows and data.features)",
        spec.dataset, places.empty() ? "" : fmt::format(" and not at {}", fmt::join(places, ", ")),
        nearest_name(spec.dataset, names), fmt::join(names, ", ")));
  }
  shape.name = spec.dataset;
  if (spec.rows > 0) shape.rows = static_cast<size_t>(spec.rows);
  if (spec.features > 0) shape.features = spec.features;
  if (spec.positive_rate > 0) shape.positive_rate = spec.positive_rate;
  return shape;
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

Dataset load_file(const DataSpec& spec, const std::string& path, uint64_t seed, bool regression,
                  ThreadPool& pool) {
  if (spec.features > 0 || spec.positive_rate > 0) {
    throw Error(fmt::format(
        "data.{}: is for synthetic data, but {} is there; drop it or set source: synthetic",
        spec.features > 0 ? "features" : "positive_rate", path));
  }
  Dataset data = read_csv(path, {.regression = regression}, pool);
  data.name = is_path(spec.dataset) ? stem_of(path) : spec.dataset;
  if (data.name.empty()) data.name = fs::path(path).filename().string();
  data.sha256 = sha256_of_file(path);
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

std::string data_directory(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("MASKBENCH_DATA");
  return variable ? variable : "";
}

std::vector<AvailableData> list_data(const std::string& data_dir) {
  std::vector<AvailableData> list;
  for (const SyntheticShape& shape : known_shapes()) {
    list.push_back({shape.name, &shape, first_file(places_of(shape.name, data_dir))});
  }
  std::map<std::string, std::string> others;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(data_dir, ignored)) {
    const std::string name = stem_of(entry.path().string());
    if (name.empty() || find_shape(name) != nullptr) continue;
    others[name] = first_file(places_of(name, data_dir));
  }
  for (const auto& [name, file] : others) {
    if (!file.empty()) list.push_back({name, nullptr, file});
  }
  return list;
}

Dataset load_data(const DataSpec& spec, const std::string& data_dir, uint64_t seed, bool regression,
                  ThreadPool& pool) {
  const std::vector<std::string> places = places_of(spec.dataset, data_dir);
  const std::string path = spec.source == Source::synthetic ? "" : first_file(places);
  if (!path.empty()) return load_file(spec, path, seed, regression, pool);
  if (spec.source == Source::file || is_path(spec.dataset)) fail_no_file(spec, places);
  return generate_synthetic(shape_for(spec, places), regression, pool);
}

}  // namespace maskbench
