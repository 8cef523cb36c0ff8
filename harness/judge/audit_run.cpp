#include "harness/judge/audit_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attacks/audit.hpp"
#include "attacks/distinguish.hpp"
#include "harness/base/error.hpp"
#include "harness/base/random.hpp"
#include "harness/data/whole_party.hpp"
#include "harness/exchange/training.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/run_metrics.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

constexpr size_t kRows = 64;

// PP's features, all alike: a training of masked sends that many independent messages. The others
// share a budget among features or never speak of them: one.
int features_of(const Method& method) {
  return method.shows(Evidence::masked_vectors) ? 256 : 1;
}

// Row 0 is active in world one of a PP audit (and in both of an AP audit), its label is 1 in world
// one of an AP audit. Every second other row is active, every third has the label 1.
struct World {
  std::vector<float> labels;
  PartyData ap, pp;
};

bool is_positive(size_t row) {
  return row % 3 == 0;
}

bool is_active(size_t row) {
  return row % 2 == 0;
}

Column column(const std::string& name, bool first_active) {
  Column out{name, {}, {}};
  for (size_t j = 0; j < kRows; ++j) {
    const bool active = j == 0 ? first_active : is_active(j);
    out.values.push_back(active ? 0.0f : 1.0f);
  }
  return out;
}

World make_world(int features, bool first_label, bool first_active) {
  World out;
  for (size_t j = 0; j < kRows; ++j)
    out.labels.push_back(static_cast<float>(j == 0 ? first_label : is_positive(j)));
  Dataset data;
  data.labels = out.labels;
  data.features.push_back(column("ap", true));
  for (int f = 0; f < features; ++f)
    data.features.push_back(column(fmt::format("pp{}", f), first_active));
  out.ap = whole_party(data, 0, 1, 2);
  out.pp = whole_party(data, 1, 1 + features, 2);
  return out;
}

AuditedRow audited_row(const RunSpec& spec) {
  AuditedRow out;
  for (size_t j = 0; j < kRows; ++j) {
    out.g.push_back(j != 0 && is_positive(j) ? -0.5 : 0.5);  // margins 0: p = 1/2
    out.m.push_back(is_active(j));
  }
  out.h = 0.25;
  const int features = features_of(find_method(spec.method));
  if (features > 1) out.R = masked_calibration(spec, kRows, static_cast<size_t>(features)).R;
  return out;
}

RunSpec audited(const RunSpec& spec) {
  RunSpec out = spec;
  out.train.base_score = BaseScore::half;  // no label may move another row's first gradient
  out.train.objective = Objective::classification;
  out.train.max_depth = 1;
  out.train.min_child_weight = 0;
  out.mode = Mode::materialised;
  out.backend = BackendChoice::cpu;
  out.attack.trees = out.train.rounds;
  out.attack.nodes = 1;
  return out;
}

class Audit {
 public:
  Audit(const RunSpec& spec, std::vector<Distinguisher> all, uint64_t seed)
      : spec_(audited(spec)),
        seed_(seed),
        row_(audited_row(spec_)),
        all_(std::move(all)),
        claimed_(claims()) {}

  // Both worlds of one party, and all that can be said of them.
  std::vector<Metric> about(Party party, ThreadPool& pool) const {
    std::vector<Distinguisher> own;
    for (const Distinguisher& d : all_)
      if (d.about == party) own.push_back(d);
    if (own.empty()) return {};
    const bool of_ap = party == Party::ap;
    const Scores zero = scores(of_ap ? world(false, true) : world(false, false), own, 0, pool);
    const Scores one = scores(of_ap ? world(true, true) : world(false, true), own, 1, pool);
    std::vector<Metric> out;
    for (auto d = own.begin(); d != own.end(); ++d)
      if (std::ranges::find(own, d->view, &Distinguisher::view) == d)
        compare(own, d->view, zero, one, out);
    return out;
  }

 private:
  using Scores = std::vector<Samples>;  // of each distinguisher

  World world(bool first_label, bool first_active) const {
    return make_world(features_of(find_method(spec_.method)), first_label, first_active);
  }

  // What one such training costs.
  privacy::PrivacyAccountant claims() const {
    Records records;
    TrainResult result = trained(world(false, true), seed_, records);
    return {spec_.privacy.as_read(), budget_of(spec_.privacy, kRows), std::move(result.ledgers[0]),
            std::move(result.ledgers[1])};
  }

  TrainResult trained(const World& world, uint64_t seed, Records& records) const {
    ThreadPool alone(1);
    const PartyKey key(seed, spec_.noise.generator);
    return train(
        {find_method(spec_.method), spec_, world.ap, world.labels, world.pp, alone, key, key, seed},
        records);
  }

  // Trainings until every distinguisher has its trials; one training can give many.
  Scores scores(const World& world, const std::vector<Distinguisher>& own, int number,
                ThreadPool& pool) const {
    const auto trials = static_cast<size_t>(spec_.attack.trials);
    Scores out = trial(world, own, number, 0);
    const size_t in_one = out.front().size();
    if (in_one == 0)
      throw Error("audit: " + spec_.method + " sent nothing to tell inputs apart by");
    std::vector<Scores> more((trials + in_one - 1) / in_one - 1);
    pool.run(more.size(), [&](size_t t, int) { more[t] = trial(world, own, number, t + 1); });
    for (const Scores& part : more)
      for (size_t d = 0; d < own.size(); ++d)
        out[d].insert(out[d].end(), part[d].begin(), part[d].end());
    return out;
  }

  Scores trial(const World& world, const std::vector<Distinguisher>& own, int number,
               size_t t) const {
    const uint64_t seed = derive_seed(seed_, fmt::format("audit {} {}", number, t));
    Records records;
    records.tape.record([](Party, Kind, const Tag&) { return true; });
    trained(world, seed, records);
    ThreadPool alone(1);
    const AttackInput input{spec_, world.pp, kRows, records.tape.recorded(), {}, alone, seed};
    Scores out;
    for (const Distinguisher& d : own) out.push_back(d.samples(input, row_));
    return out;
  }

  // All that read the same view.
  void compare(const std::vector<Distinguisher>& own, privacy::View view, const Scores& zero,
               const Scores& one, std::vector<Metric>& out) const {
    std::vector<Trials> trials;
    std::vector<const Distinguisher*> readers;
    for (size_t k = 0; k < own.size(); ++k) {
      if (own[k].view != view) continue;
      trials.push_back({zero[k], one[k]});
      readers.push_back(&own[k]);
    }
    const Distinguisher& d = *readers.front();
    const bool of_ap = d.about == Party::ap;
    const double delta = of_ap ? spec_.privacy.delta_ap : delta_pp(spec_.privacy, kRows);
    const EpsBound bound = eps_lower_bound(trials, delta);
    out.push_back(
        {"audit_eps",
         bound.eps,
         "",
         -1,
         "ok",
         fmt::format("at least, 95 %: {} hits {:.4f}, false alarms {:.5f} in {} trials each",
                     readers[bound.statistic]->reads, bound.hit, bound.false_alarm, bound.trials),
         {d.about, "", std::string(name_of(d.view)), {}, delta}});
    out.push_back(
        eps_metric("audit_claim", claimed_.cost(d.about, d.view, spec_.privacy.as_read())));
  }

  RunSpec spec_;
  uint64_t seed_;
  AuditedRow row_;
  std::vector<Distinguisher> all_;
  privacy::PrivacyAccountant claimed_;  // of one such training
};

}  // namespace

std::vector<Metric> audit_metrics(const RunSpec& spec, ThreadPool& pool, uint64_t seed) {
  std::vector<Distinguisher> all = distinguishers(find_method(spec.method).evidence, spec);
  if (all.empty())
    return {{"attack", 0, "", -1, "skip",
             spec.method + " has no message that a trial could tell apart"}};
  const Audit audit(spec, std::move(all), derive_seed(seed, "audit"));
  std::vector<Metric> out = audit.about(Party::ap, pool);
  for (Metric& metric : audit.about(Party::pp, pool)) out.push_back(std::move(metric));
  return out;
}

}  // namespace maskbench
