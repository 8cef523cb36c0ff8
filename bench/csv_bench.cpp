#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "harness/data/csv.hpp"
#include "harness/data/synthetic.hpp"

namespace maskbench {
namespace {

std::string cell_text(const Column& column, size_t row) {
  const float value = column.values[row];
  if (std::isnan(value)) return "";
  return column.is_categorical() ? column.categories[static_cast<size_t>(value)]
                                 : fmt::format("{}", value);
}

std::string write_csv(const Dataset& data) {
  const auto path = std::filesystem::temp_directory_path() / (data.name + "-bench.csv");
  std::ofstream file(path);
  file << "label";
  for (const Column& column : data.features) file << ',' << column.name;
  file << '\n';
  for (size_t row = 0; row < data.rows(); ++row) {
    file << data.labels[row];
    for (const Column& column : data.features) file << ',' << cell_text(column, row);
    file << '\n';
  }
  return path.string();
}

bool same_values(const Dataset& a, const Dataset& b) {
  if (a.labels != b.labels || a.features.size() != b.features.size()) return false;
  for (size_t f = 0; f < a.features.size(); ++f) {
    for (size_t row = 0; row < a.rows(); ++row) {
      if (cell_text(a.features[f], row) != cell_text(b.features[f], row)) return false;
    }
  }
  return true;
}

// Writes a shape as CSV, checks that reading gives it back, then times the reading.
void read_shape(benchmark::State& state, const char* name) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const Dataset data = generate_synthetic(*find_shape(name), false, pool);
  const std::string path = write_csv(data);
  if (!same_values(data, read_csv(path, {}, pool))) {
    state.SkipWithError("the file read differs from the data written");
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_csv(path, {}, pool));
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * bytes);
  std::filesystem::remove(path);
}
BENCHMARK_CAPTURE(read_shape, credit1, "credit1")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(read_shape, adult, "adult")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void generate_shape(benchmark::State& state, const char* name) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(generate_synthetic(*find_shape(name), false, pool));
  }
}
BENCHMARK_CAPTURE(generate_shape, higgs, "higgs")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace maskbench
