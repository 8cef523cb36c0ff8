#include "harness/app/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/metrics.hpp"
#include "harness/core/predict.hpp"

namespace maskbench {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Judge::Judge(const RunSpec& spec, const PreparedData& data, ThreadPool& pool, float base_margin)
    : spec_(spec), data_(data), pool_(pool), margins_(data.test_labels.size(), base_margin) {}

void Judge::after_tree(int round, const Tree& tree, const Method& method) {
  add_tree(tree, method.ap->rules(), method.pp->rules(), data_.ap_test, data_.pp_test, pool_,
           margins_);
  last_ = test_metrics(round);
  metrics_.insert(metrics_.end(), last_.begin(), last_.end());
}

std::vector<Metric> Judge::metrics() const {
  std::vector<Metric> out = metrics_;
  for (Metric metric : last_) {
    metric.round = -1;
    out.push_back(metric);
  }
  return out;
}

std::vector<Metric> Judge::test_metrics(int round) const {
  const std::vector<float>& y = data_.test_labels;
  if (spec_.train.objective == "regression") return {{"test_rmse", rmse(margins_, y), "", round}};
  return {{"test_auc", auc(margins_, y), "", round},
          {"test_logloss", log_loss(margins_, y), "nats", round},
          {"test_accuracy", accuracy(margins_, y), "", round}};
}

std::vector<Metric> training_metrics(const RunSpec& spec, const PreparedData& data,
                                     const TrainResult& result) {
  double total = 0;
  for (double s : result.seconds) total += s;
  std::vector<Metric> out = {
      {"seconds_per_tree", total / static_cast<double>(result.seconds.size()), "s"},
      {"seconds_per_tree_median", median(result.seconds), "s"},
      {"trees", static_cast<double>(result.seconds.size()), "", -1, "ok",
       result.seconds.size() < static_cast<size_t>(spec.train.rounds)
           ? "fewer than train.rounds: max_trees"
           : ""},
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

std::vector<Metric> privacy_metrics(const privacy::PrivacyAccountant& accountant) {
  const privacy::PrivacyReport report = accountant.report();
  std::vector<Metric> out;
  const auto add = [&](const std::string& name, const privacy::Cost& cost) {
    out.push_back(
        {name, cost.eps, fmt::format("eps at delta {}", cost.delta), -1, "ok", cost.reason});
  };
  const auto side = [](privacy::Party p) { return p == privacy::Party::active ? "ap" : "pp"; };
  for (const privacy::Cost& cost : report.run) {
    const bool stated = cost.view == privacy::View::stated;
    add(stated ? fmt::format("eps_claimed_{}", side(cost.party))
               : fmt::format("eps_{}_{}", privacy::to_string(cost.view), side(cost.party)),
        cost);
  }
  privacy::Reading whole = report.reading;  // the same messages, all of them added up exactly
  whole.scope = privacy::Scope::training;
  whole.composition = privacy::Composition::pld;
  for (privacy::Party party : {privacy::Party::active, privacy::Party::passive}) {
    add(fmt::format("eps_training_{}", side(party)),
        accountant.cost(party, privacy::View::stated, whole));
  }
  for (const privacy::Cost& cost : report.elsewhere) {
    add(fmt::format("eps_{}[{}]", side(cost.party), privacy::to_string(cost.reading)), cost);
  }
  return out;
}

}  // namespace maskbench
