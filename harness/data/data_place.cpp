#include "harness/data/data_place.hpp"

#include <filesystem>

namespace maskbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEndings[] = {".csv", ".csv.gz"};

}  // namespace

std::string stem_of(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  for (const std::string ending : kEndings) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  }
  return "";
}

bool is_data_path(const std::string& dataset) {
  return dataset.find('/') != std::string::npos || !stem_of(dataset).empty();
}

std::vector<std::string> places_of(const std::string& dataset, const std::string& data_dir) {
  if (is_data_path(dataset)) return {dataset};
  std::vector<std::string> places;
  if (data_dir.empty()) return places;
  for (const char* ending : kEndings) {
    places.push_back((fs::path(data_dir) / (dataset + ending)).string());
  }
  return places;
}

std::string find_data_file(const std::string& dataset, const std::string& data_dir) {
  std::error_code ignored;
  for (const std::string& place : places_of(dataset, data_dir)) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return "";
}

std::string file_for(const DataSpec& spec, const std::string& data_dir) {
  return spec.source == Source::synthetic ? "" : find_data_file(spec.dataset, data_dir);
}

std::optional<SyntheticShape> shape_for(const DataSpec& spec) {
  SyntheticShape shape;
  if (const SyntheticShape* known = find_shape(spec.dataset)) {
    shape = *known;
  } else if (spec.rows <= 0 || spec.features <= 0) {
    return std::nullopt;
  }
  shape.name = spec.dataset;
  if (spec.rows > 0) shape.rows = static_cast<size_t>(spec.rows);
  if (spec.features > 0) shape.features = spec.features;
  if (spec.positive_rate > 0) shape.positive_rate = spec.positive_rate;
  return shape;
}

bool needs_file(const DataSpec& spec) {
  return spec.source == Source::file || is_data_path(spec.dataset);
}

}  // namespace maskbench
