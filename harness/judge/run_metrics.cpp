#include "harness/judge/run_metrics.hpp"

#include <algorithm>
#include <cmath>

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
           {"party_seconds_per_tree", sum.ap / trees, "s", -1, "ok", "", {Party::ap}},
           {"party_seconds_per_tree", sum.pp / trees, "s", -1, "ok", "", {Party::pp}},
           {"waiting_seconds_per_tree", sum.waiting / trees, "s"},
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
      out.push_back({"message_bytes",
                     static_cast<double>(tape.bytes(from, kind)),
                     "bytes",
                     -1,
                     "ok",
                     "",
                     {from, std::string(name_of(kind))}});
    }
  }
  return out;
}

namespace {

// What nothing covers is infinite under every reading, and what is not sent costs nothing: the row
// of the run's own says so, and why.
bool says_no_more(const privacy::Cost& cost, const std::vector<privacy::Cost>& own) {
  const auto same = [&](const privacy::Cost& c) {
    return c.party == cost.party && c.view == cost.view && c.eps == cost.eps &&
           c.reason == cost.reason;
  };
  return (std::isinf(cost.eps) || cost.eps == 0) && std::ranges::any_of(own, same);
}

}  // namespace

Metric eps_metric(const std::string& name, const privacy::Cost& cost) {
  return {name,
          cost.eps,
          "",
          -1,
          "ok",
          cost.reason,
          {cost.party, "", std::string(name_of(cost.view)), cost.reading, cost.delta}};
}

std::vector<Metric> privacy_metrics(const privacy::PrivacyAccountant& accountant) {
  const privacy::PrivacyReport report = accountant.report();
  std::vector<Metric> out;
  for (const privacy::Cost& cost : report.run) out.push_back(eps_metric("eps", cost));
  privacy::Reading whole = report.reading;  // the same messages, all of them added up exactly
  whole.scope = privacy::Scope::training;
  whole.composition = privacy::Composition::pld;
  for (Party party : {Party::ap, Party::pp}) {
    out.push_back(eps_metric("eps_training", accountant.cost(party, privacy::View::stated, whole)));
  }
  for (const privacy::Cost& cost : report.elsewhere) {
    if (!says_no_more(cost, report.run)) out.push_back(eps_metric("eps_other", cost));
  }
  return out;
}

}  // namespace maskbench
