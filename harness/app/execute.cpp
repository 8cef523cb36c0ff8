#include "harness/app/execute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/app/catalog.hpp"
#include "harness/app/prepare.hpp"
#include "harness/core/boosting.hpp"
#include "harness/core/error.hpp"
#include "harness/core/metrics.hpp"
#include "harness/core/model_io.hpp"
#include "harness/core/predict.hpp"
#include "harness/core/random.hpp"

namespace maskbench {

namespace {

// Follows a training from outside: test margins after each tree, the metrics of each round.
class Judge {
 public:
  Judge(const RunSpec& spec, const PreparedData& data, ThreadPool& pool, float base_margin)
      : spec_(spec), data_(data), pool_(pool), margins_(data.test_labels.size(), base_margin) {}

  void after_tree(int round, const Tree& tree, const Method& method) {
    add_tree(tree, method.ap->rules(), method.pp->rules(), data_.ap_test, data_.pp_test, pool_,
             margins_);
    last_ = test_metrics(round);
    metrics_.insert(metrics_.end(), last_.begin(), last_.end());
  }

  // All rounds' metrics, then the last round's again as the run's.
  std::vector<Metric> metrics() const {
    std::vector<Metric> out = metrics_;
    for (Metric metric : last_) {
      metric.round = -1;
      out.push_back(metric);
    }
    return out;
  }

 private:
  std::vector<Metric> test_metrics(int round) const {
    const std::vector<float>& y = data_.test_labels;
    if (spec_.train.objective == "regression") return {{"test_rmse", rmse(margins_, y), "", round}};
    return {{"test_auc", auc(margins_, y), "", round},
            {"test_logloss", log_loss(margins_, y), "nats", round},
            {"test_accuracy", accuracy(margins_, y), "", round}};
  }

  const RunSpec& spec_;
  const PreparedData& data_;
  ThreadPool& pool_;
  std::vector<float> margins_;
  std::vector<Metric> metrics_;
  std::vector<Metric> last_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Metric> training_metrics(const RunSpec& spec, const PreparedData& data,
                                     const TrainResult& result) {
  double total = 0;
  for (double s : result.seconds) total += s;
  std::vector<Metric> out = {
      {"seconds_per_tree", total / static_cast<double>(result.seconds.size()), "s"},
      {"seconds_per_tree_median", median(result.seconds), "s"},
      {"peak_rss", static_cast<double>(peak_memory()), "bytes"},
  };
  for (size_t round = 0; round < result.seconds.size(); ++round) {
    out.push_back({"tree_seconds", result.seconds[round], "s", static_cast<int>(round)});
  }
  if (spec.train.objective != "regression") {
    out.push_back({"train_auc", auc(result.margins, data.train_labels), ""});
  }
  return out;
}

std::vector<Metric> wire_metrics(const Wire& wire) {
  std::vector<Metric> out = {{"wire_bytes", static_cast<double>(wire.total_bytes()), "bytes"}};
  for (size_t k = 0; k < kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    for (Party from : {Party::ap, Party::pp}) {
      if (wire.messages(from, kind) == 0) continue;
      const char* sender = from == Party::ap ? "ap" : "pp";
      out.push_back({fmt::format("wire_bytes_{}_{}", sender, name_of(kind)),
                     static_cast<double>(wire.bytes(from, kind)), "bytes"});
    }
  }
  return out;
}

void append(std::vector<Metric>& to, std::vector<Metric> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

RunResult execute(const RunSpec& spec, const ExecuteContext& context) {
  ThreadPool pool(context.threads);
  const auto data = prepare(spec, context.data_dir, pool);
  reset_peak_memory();
  const uint64_t seed = repeat_seed(spec);
  Method method = method_factory(spec.method)(
      {spec, data->ap, data->train_labels, data->pp, pool, derive_seed(seed, "noise")});
  const std::vector<float> start = initial_margins(spec.train, data->train_labels, seed);
  const bool random_base = spec.train.base_score == "random";
  Judge judge(spec, *data, pool, random_base ? 0.0f : start.front());
  TrainHooks hooks;
  hooks.stop = [&] { return context.stop != nullptr && context.stop->load(); };
  hooks.on_tree = [&](int round, const Tree& tree, double) {
    judge.after_tree(round, tree, method);
    if (context.on_tree) context.on_tree(round + 1, spec.train.rounds);
  };
  Wire wire;
  TrainResult result = train_model(spec.train, data->train_labels, seed, method, wire, pool, hooks);
  if (result.stopped) throw Interrupted();
  if (!context.model_dir.empty()) {
    result.model.ap_features = data->ap_features;
    result.model.pp_features = data->pp_features;
    save_model(result.model, context.model_dir);
  }
  RunResult out;
  out.provenance = {data->source, data->sha256, "cpu", "none"};
  append(out.metrics, judge.metrics());
  append(out.metrics, training_metrics(spec, *data, result));
  append(out.metrics, wire_metrics(wire));
  append(out.metrics, method.ap->metrics());
  append(out.metrics, method.pp->metrics());
  return out;
}

}  // namespace maskbench
