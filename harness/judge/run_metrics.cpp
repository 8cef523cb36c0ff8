#include "harness/judge/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/trees/metrics.hpp"
#include "harness/trees/passive_score.hpp"
#include "harness/trees/predict.hpp"

namespace maskbench {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Metric> round_metrics(const RunSpec& spec, const std::vector<float>& margins,
                                  const std::vector<float>& y, int round) {
  if (spec.train.is_regression()) return {{"test_rmse", rmse(margins, y), "", round}};
  return {{"test_auc", auc(margins, y), "", round},
          {"test_logloss", log_loss(margins, y), "nats", round},
          {"test_accuracy", accuracy(margins, y), "", round}};
}

const char* side(Party party) {
  return party == Party::ap ? "ap" : "pp";
}

}  // namespace

std::vector<Metric> test_metrics(const RunSpec& spec, const PreparedData& data, const Model& model,
                                 const RandomKey& query_key, ThreadPool& pool) {
  std::vector<float> first(data.test_labels.size(), model.base_margin);
  PartyData levels;
  const PartyData& pp = add_answers(model, data.pp_test, query_key, pool, first, levels);
  const auto add = [&](size_t round, std::span<float> margins) {
    add_tree(model.trees[round], model.ap_rules, model.pp_rules, data.ap_test, pp, pool, margins);
  };
  return test_metrics(spec, data.test_labels, std::move(first), model.trees.size(), add);
}

std::vector<Metric> test_metrics(const RunSpec& spec, const std::vector<float>& labels,
                                 std::vector<float> margins, size_t rounds,
                                 const AddRound& add_round) {
  std::vector<Metric> out, last;
  for (size_t round = 0; round < rounds; ++round) {
    add_round(round, margins);
    last = round_metrics(spec, margins, labels, static_cast<int>(round));
    out.insert(out.end(), last.begin(), last.end());
  }
  for (Metric& metric : last) metric.round = -1;
  out.insert(out.end(), last.begin(), last.end());
  return out;
}

std::vector<Metric> training_metrics(const RunSpec& spec, const PreparedData& data,
                                     const TrainResult& result, const RandomKey& query_key,
                                     ThreadPool& pool) {
  TreeTimes sum;
  std::vector<double> totals;
  for (const TreeTimes& tree : result.seconds) {
    sum.ap += tree.ap;
    sum.pp += tree.pp;
    sum.waiting += tree.waiting;
    totals.push_back(tree.total());
  }
  const auto trees = static_cast<double>(totals.size());
  std::vector<Metric> out;
  if (!totals.empty())  // a training that was resumed after its last tree grew none
    out = {{"seconds_per_tree", sum.total() / trees, "s"},
           {"seconds_per_tree_ap", sum.ap / trees, "s"},
           {"seconds_per_tree_pp", sum.pp / trees, "s"},
           {"seconds_per_tree_waiting", sum.waiting / trees, "s"},
           {"seconds_per_tree_median", median(totals), "s"}};
  out.push_back({"trees", trees, "", -1, "ok",
                 trees < spec.train.rounds ? "fewer than train.rounds: max_trees" : ""});
  out.push_back({"peak_rss", static_cast<double>(peak_memory()), "bytes"});
  for (size_t round = 0; round < totals.size(); ++round) {
    out.push_back({"tree_seconds", totals[round], "s", static_cast<int>(round)});
  }
  if (!spec.train.is_regression()) {
    std::vector<float> margins = result.margins;  // AP's; PP's own part comes to it
    PartyData levels;
    add_answers(result.model, data.pp, query_key, pool, margins, levels);
    out.push_back({"train_auc", auc(margins, data.train_labels), ""});
  }
  return out;
}

std::vector<Metric> wire_metrics(const Tape& tape) {
  std::vector<Metric> out = {{"wire_bytes", static_cast<double>(tape.total_bytes()), "bytes"}};
  for (size_t k = 0; k < kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    for (Party from : {Party::ap, Party::pp}) {
      if (tape.messages(from, kind) == 0) continue;
      out.push_back({fmt::format("wire_bytes_{}_{}", side(from), name_of(kind)),
                     static_cast<double>(tape.bytes(from, kind)), "bytes"});
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
  for (const privacy::Cost& cost : report.run) {
    const bool stated = cost.view == privacy::View::stated;
    add(stated ? fmt::format("eps_claimed_{}", side(cost.party))
               : fmt::format("eps_{}_{}", name_of(cost.view), side(cost.party)),
        cost);
  }
  privacy::Reading whole = report.reading;  // the same messages, all of them added up exactly
  whole.scope = privacy::Scope::training;
  whole.composition = privacy::Composition::pld;
  for (Party party : {Party::ap, Party::pp}) {
    add(fmt::format("eps_training_{}", side(party)),
        accountant.cost(party, privacy::View::stated, whole));
  }
  for (const privacy::Cost& cost : report.elsewhere) {
    add(fmt::format("eps_{}[{}]", side(cost.party), privacy::to_string(cost.reading)), cost);
  }
  return out;
}

}  // namespace maskbench
