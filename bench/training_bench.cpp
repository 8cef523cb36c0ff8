#include <benchmark/benchmark.h>

#include <string>

#include "baselines/methods.hpp"
#include "harness/core/boosting.hpp"
#include "harness/core/metrics.hpp"
#include "harness/core/synthetic.hpp"

// Seconds a tree of nonprivate on the paper's six shapes. scripts/bench_peers.py sets xgboost and
// lightgbm beside the same measurement.
namespace maskbench {
namespace {

PartyData half_of(const Dataset& data, bool first, int max_bins) {
  std::vector<int> features;
  std::vector<std::string> names;
  for (size_t f = 0; f < data.features.size(); ++f) {
    if ((f < data.features.size() / 2) != first) continue;
    features.push_back(static_cast<int>(f));
    names.push_back(data.features[f].name);
  }
  std::vector<uint32_t> rows(data.rows());
  for (size_t j = 0; j < rows.size(); ++j) rows[j] = static_cast<uint32_t>(j);
  std::vector<FeatureCuts> cuts = find_cuts(data, features, rows, max_bins);
  BinnedMatrix bins = bin_rows(data, features, cuts, rows);
  return {std::move(names), std::move(cuts), std::move(bins)};
}

void train_tree(benchmark::State& state, const std::string& shape) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const Dataset data = generate_synthetic(*find_shape(shape), false, pool);
  RunSpec spec;
  spec.train.rounds = 20;
  const PartyData ap = half_of(data, true, spec.train.max_bins);
  const PartyData pp = half_of(data, false, spec.train.max_bins);
  double auc_of_last = 0;
  for (auto _ : state) {
    privacy::PrivacyAccountant accountant({}, {});
    Method method = make_nonprivate({spec, ap, data.labels, pp, pool, 1, accountant});
    Wire wire;
    const TrainResult result = train_model(spec.train, data.labels, 1, method, wire, pool);
    double seconds = 0;
    for (double s : result.seconds) seconds += s;
    state.SetIterationTime(seconds / spec.train.rounds);
    auc_of_last = auc(result.margins, data.labels);
  }
  if (auc_of_last < 0.7) state.SkipWithError("the trees have learned nothing");
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(data.rows() * data.features.size()));
}

const bool registered = [] {
  for (const SyntheticShape& shape : known_shapes()) {
    benchmark::RegisterBenchmark(
        ("train_tree/" + std::string(shape.name)).c_str(),
        [name = std::string(shape.name)](benchmark::State& s) { train_tree(s, name); })
        ->Arg(1)
        ->Arg(2)
        ->ArgName("threads")
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace maskbench
