#include "harness/config/plan_check.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/base/error.hpp"
#include "harness/base/reason.hpp"
#include "harness/config/schema.hpp"
#include "harness/data/data_place.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/prepare.hpp"

namespace maskbench {
namespace {

bool decides_the_shape(const std::string& key) {
  return key.starts_with("data.") || key == "train.objective" || key == "train.max_bins" ||
         key == "federboost.buckets";
}

// What decides whether a file can serve and the shape of what is trained on. The seeds only choose
// among its rows and features.
std::string shape_keys(const RunSpec& spec) {
  std::string text;
  for (const Key& key : schema()) {
    if (decides_the_shape(key.name)) text += key.get(spec) + '\n';
  }
  return text;
}

// The rest of a run, but for its seeds.
std::string budget_of_run(const RunSpec& spec) {
  std::string text;
  for (const Key& key : schema()) {
    if (!decides_the_shape(key.name) && key.name != "seed" && !key.name.starts_with("seeds."))
      text += key.get(spec) + '\n';
  }
  return text;
}

struct MethodRuns {
  size_t runs = 0, refused = 0;
  std::string reason;  // of the first that is refused
};

// By config and method.
using Verdicts = std::map<std::pair<std::string, std::string>, MethodRuns>;

std::string refusal(const RunSpec& spec, const PartyData& pp) try {
  find_method(spec.method).check_budget(spec, pp);
  return "";
} catch (const std::exception& error) {
  return reason_of(error);
}

bool has_budget(const Job& job) {
  return find_method(job.spec.method).check_budget != nullptr;
}

DataShape shape_of(const PreparedData& data) {
  return {data.train_labels.size() + data.test_labels.size(),
          data.ap_features.size() + data.pp_features.size(), data.pp.candidates.size()};
}

// Of jobs that have data of one shape.
void judge(const std::vector<Job*>& jobs, const PartyData& pp, Verdicts& verdicts) {
  std::map<std::string, std::string> known;
  for (const Job* job : jobs) {
    if (!has_budget(*job)) continue;
    const auto [found, added] = known.try_emplace(budget_of_run(job->spec));
    if (added) found->second = refusal(job->spec, pp);
    MethodRuns& runs = verdicts[{job->spec.name, job->spec.method}];
    ++runs.runs;
    if (found->second.empty()) continue;
    if (runs.refused++ == 0) runs.reason = found->second;
  }
}

}  // namespace

std::vector<std::string> check_plan(Plan& plan, const std::string& data_dir, int threads) {
  std::map<std::string, std::vector<Job*>> shapes;
  for (Job& job : plan.jobs) {
    if (has_budget(job) || !file_for(job.spec.data, data_dir).empty())
      shapes[shape_keys(job.spec)].push_back(&job);
  }
  if (shapes.empty()) return {};
  ThreadPool pool(threads);
  Verdicts verdicts;
  for (const auto& [keys, jobs] : shapes) {
    const auto data = prepare(jobs.front()->spec, data_dir, pool);
    for (Job* job : jobs) job->shape = shape_of(*data);
    judge(jobs, data->pp, verdicts);
  }
  std::vector<std::string> notes;
  for (const auto& [key, runs] : verdicts) {
    const auto& [config, method] = key;
    if (runs.refused == 0) continue;
    if (runs.refused == runs.runs)
      throw Error(
          fmt::format("{}: none of the {} runs of {} (of {} planned) can meet its budget: {}",
                      config, runs.runs, method, plan.jobs.size(), runs.reason));
    notes.push_back(
        fmt::format("{}: {} of the {} runs of {} cannot meet their budget and will "
                    "fail, the first because {}",
                    config, runs.refused, runs.runs, method, runs.reason));
  }
  return notes;
}

}  // namespace maskbench
