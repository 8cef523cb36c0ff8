#include <benchmark/benchmark.h>

#include <string>

#include "baselines/methods.hpp"
#include "harness/data/synthetic.hpp"
#include "harness/data/whole_party.hpp"
#include "harness/exchange/training.hpp"
#include "harness/trees/metrics.hpp"

// Seconds a tree of nonprivate on the paper's six shapes. scripts/bench_peers.py sets xgboost and
// lightgbm beside the same measurement.
namespace maskbench {
namespace {

void train_tree(benchmark::State& state, const std::string& shape) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const Dataset data = generate_synthetic(*find_shape(shape), false, pool);
  RunSpec spec;
  spec.train.rounds = 20;
  const int all = static_cast<int>(data.features.size());
  const PartyData ap = whole_party(data, 0, all / 2, spec.train.max_bins);
  const PartyData pp = whole_party(data, all / 2, all, spec.train.max_bins);
  double auc_of_last = 0;
  for (auto _ : state) {
    Records records;
    const TrainResult result =
        train({nonprivate_method(), spec, ap, data.labels, pp, pool, 1, 1, 1}, records);
    double seconds = 0;
    for (const TreeTimes& tree : result.seconds) seconds += tree.total();
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
