#include "harness/judge/transcript_run.hpp"

#include <fmt/format.h>

#include "attacks/transcript.hpp"
#include "harness/base/random.hpp"
#include "harness/data/whole_party.hpp"
#include "harness/exchange/training.hpp"
#include "harness/judge/run_metrics.hpp"
#include "harness/privacy/run_budget.hpp"

namespace maskbench {

namespace {

constexpr size_t kRows = 48;
constexpr int kValues = 4;  // of every feature; all occur in other rows, so no cut depends on row 0

// Row 0 is the one that differs.
struct World {
  std::vector<float> labels;
  PartyData ap, pp;
};

float value(size_t row, size_t feature) {
  return static_cast<float>((row * (2 * feature + 3) + row / 5) % kValues);
}

World make_world(bool label, bool record, int max_bins) {
  Dataset data;
  for (size_t f = 0; f < 4; ++f) {
    Column column{fmt::format("f{}", f), {}, {}};
    for (size_t j = 0; j < kRows; ++j) column.values.push_back(value(j, f));
    if (f >= 2) column.values[0] = record ? kValues - 1 : 0;  // PP's
    data.features.push_back(std::move(column));
  }
  World out;
  for (size_t j = 0; j < kRows; ++j) {
    const bool likely = value(j, 0) + value(j, 2) > 2.5f;
    out.labels.push_back(static_cast<float>(likely != (j % 5 == 0)));
  }
  out.labels[0] = static_cast<float>(label);
  data.labels = out.labels;
  out.ap = whole_party(data, 0, 2, max_bins);
  out.pp = whole_party(data, 2, 4, max_bins);
  return out;
}

class TranscriptAudit {
 public:
  TranscriptAudit(const Method& method, const RunSpec& spec, uint64_t seed)
      : method_(method), spec_(spec), seed_(seed) {
    spec_.train.objective = Objective::classification;
    spec_.mode = Mode::materialised;
    spec_.backend = BackendChoice::cpu;
  }

  void about(Party party, ThreadPool& pool, std::vector<Metric>& out) const {
    const bool of_ap = party == Party::ap;
    const double delta = of_ap ? spec_.privacy.delta_ap : delta_pp(spec_.privacy, kRows);
    const auto found =
        tell_apart(transcripts(false, false, pool), transcripts(of_ap, !of_ap, pool), delta);
    out.push_back(
        {"transcript_eps",
         found.bound.eps,
         "",
         -1,
         "ok",
         fmt::format("at least, 95 %: {}; hits {:.4f}, false alarms {:.5f} in {} trainings each",
                     found.place, found.bound.hit, found.bound.false_alarm, found.bound.trials),
         {party, "", "", {}, delta}});
    for (const auto view : {privacy::View::wire, privacy::View::stated})
      out.push_back(eps_metric("transcript_claim", claim(party, view)));
  }

 private:
  TrainResult trained(const World& world, uint64_t seed, Records& records) const {
    ThreadPool alone(1);
    const Generator generator = spec_.noise.generator;
    return train({method_, spec_, world.ap, world.labels, world.pp, alone,
                  PartyKey(derive_seed(seed, "ap"), generator),
                  PartyKey(derive_seed(seed, "pp"), generator), seed},
                 records);
  }

  std::vector<Transcript> transcripts(bool label, bool record, ThreadPool& pool) const {
    const World world = make_world(label, record, spec_.train.max_bins);
    std::vector<Transcript> out(static_cast<size_t>(spec_.attack.trials));
    pool.run(out.size(), [&](size_t t, int) {
      Records records;
      records.tape.record([](Party, Kind, const Tag&) { return true; });
      trained(world, derive_seed(seed_, fmt::format("{} {} {}", label, record, t)), records);
      out[t] = transcript_of(records.tape.recorded());
    });
    return out;
  }

  // Of one such training, all messages together.
  privacy::Cost claim(Party party, privacy::View view) const {
    Records records;
    TrainResult result = trained(make_world(false, false, spec_.train.max_bins), seed_, records);
    privacy::Reading whole = spec_.privacy.as_read();
    whole.scope = privacy::Scope::training;
    whole.composition = privacy::Composition::pld;
    const privacy::PrivacyAccountant accountant(whole, budget_of(spec_.privacy, kRows),
                                                std::move(result.ledgers[0]),
                                                std::move(result.ledgers[1]));
    return accountant.cost(party, view, whole);
  }

  const Method& method_;
  RunSpec spec_;
  uint64_t seed_;
};

}  // namespace

std::vector<Metric> transcript_metrics(const Method& method, const RunSpec& spec, ThreadPool& pool,
                                       uint64_t seed) {
  const TranscriptAudit audit(method, spec, seed);
  std::vector<Metric> out;
  for (const Party party : {Party::ap, Party::pp}) audit.about(party, pool, out);
  return out;
}

}  // namespace maskbench
