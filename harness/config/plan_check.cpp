#include "harness/config/plan_check.hpp"

#include <map>

#include "harness/config/schema.hpp"
#include "harness/data/data_place.hpp"
#include "harness/judge/prepare.hpp"

namespace maskbench {
namespace {

// What decides whether a file can serve. The seeds only choose among its rows and features.
std::string reading_of_file(const RunSpec& spec) {
  std::string text;
  for (const Key& key : schema()) {
    if (key.name.starts_with("data.") || key.name == "train.objective")
      text += key.get(spec) + '\n';
  }
  return text;
}

}  // namespace

void check_data_files(const Plan& plan, const std::string& data_dir, int threads) {
  std::map<std::string, const RunSpec*> readings;
  for (const Job& job : plan.jobs) {
    if (!file_for(job.spec.data, data_dir).empty())
      readings.try_emplace(reading_of_file(job.spec), &job.spec);
  }
  if (readings.empty()) return;
  ThreadPool pool(threads);
  for (const auto& [reading, spec] : readings) prepare(*spec, data_dir, pool);
}

}  // namespace maskbench
