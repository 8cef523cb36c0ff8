#include "harness/cli/config_args.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/data/data_source.hpp"
#include "harness/judge/catalog.hpp"

namespace maskbench {
namespace {

namespace fs = std::filesystem;

void check_dataset(const DataSpec& data, const std::string& data_dir) {
  if (find_dataset(data.dataset)) return;
  if (is_data_path(data.dataset)) {
    data_file_of(data, data_dir);
    return;
  }
  const bool any_shape = data.source != Source::file && data.rows > 0 && data.features > 0;
  if (any_shape || !find_data_file(data.dataset, data_dir).empty()) return;
  const auto known = ids(datasets());
  throw Error(
      fmt::format("data.dataset '{0}' is none of {1}; for others put {0}.csv into --data-dir, or "
                  "give data.rows and data.features for synthetic data{2}",
                  data.dataset, join(known, ", "), did_you_mean(data.dataset, known)));
}

}  // namespace

void add_data_dir(CLI::App& command, std::string& data_dir) {
  command
      .add_option("--data-dir", data_dir,
                  "directory of NAME.csv or NAME.csv.gz; without a file the data is synthetic")
      ->envname("MASKBENCH_DATA")
      ->type_name("DIR");
}

void ConfigArgs::add_to(CLI::App& command) {
  command.add_option("config", path, "YAML file, e.g. configs/quickstart.yaml")
      ->required()
      ->type_name("CONFIG");
  command
      .add_option("--set", overrides,
                  "set a key (see show --keys), e.g. train.rounds=5, or an axis: "
                  "privacy.eps_ap=[1,2]; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command.add_option("--scale", scale, "small applies the config's section `small`")
      ->check(CLI::IsMember({"full", "small"}))
      ->capture_default_str();
  command.add_option("--max-runs", most_runs, "refuse a config that makes more runs")
      ->check(CLI::Range(size_t{1}, size_t{100'000'000}))
      ->capture_default_str();
  add_data_dir(command, data_dir);
}

Plan ConfigArgs::load() const {
  if (!data_dir.empty() && !fs::is_directory(data_dir))
    throw Error("--data-dir " + data_dir + ": no such directory");
  Plan plan = load_plan(path, {overrides, scale == "small", data_dir, most_runs});
  for (const auto& job : plan.jobs) check_dataset(job.spec.data, data_dir);
  return plan;
}

}  // namespace maskbench
