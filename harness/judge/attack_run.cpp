#include "harness/judge/attack_run.hpp"

#include <algorithm>
#include <chrono>

#include "harness/base/random.hpp"
#include "harness/judge/attack_score.hpp"
#include "harness/judge/audit_run.hpp"
#include "harness/judge/catalog.hpp"
#include "harness/judge/transcript_run.hpp"

namespace maskbench {

namespace {

bool is_large(Kind kind) {
  switch (kind) {
    case Kind::gradients:
    case Kind::noise:
    case Kind::masked:
    case Kind::ciphertexts:
    case Kind::matrices:
    case Kind::buckets:
      return true;
    default:
      return false;
  }
}

std::vector<Metric> scored(const AttackResult& result, const RunSpec& spec,
                           const PreparedData& data) {
  if (const auto* skip = std::get_if<Skip>(&result))
    return {{"attack", 0, "", -1, "skip", skip->reason}};
  if (const auto* labels = std::get_if<LabelGuess>(&result)) {
    std::vector<Metric> out = label_scores(*labels, data.train_labels);
    out.insert(out.end(), labels->effort.begin(), labels->effort.end());
    return out;
  }
  if (const auto* bits = std::get_if<BitsGuesses>(&result))
    return bit_scores(*bits, data.pp, spec.masked.orient == Orient::smaller);
  return std::get<std::vector<Metric>>(result);
}

}  // namespace

void keep_for_judge(const RunSpec& spec, Records& records) {
  using Topic = Notebook::Topic;
  if (find_method(spec.method).probe != nullptr)
    records.of(Party::pp).keep([](Topic topic, const Tag&) {
      return topic == Topic::choices || topic == Topic::root_sums || topic == Topic::noise;
    });
  const AttackEntry& attack = find_attack(spec.attack.name);
  if (attack.attack == nullptr || !attack.unavailable.empty()) return;
  const auto is_early = [&spec](const Tag& tag) {
    return tag.tree < spec.attack.trees && tag.node < spec.attack.nodes;
  };
  records.tape.record([is_early, reads = attack.reads](Party, Kind kind, const Tag& tag) {
    if (is_large(kind) && std::find(reads.begin(), reads.end(), kind) == reads.end()) return false;
    return is_early(tag);
  });
  if (attack.by == Party::ap)
    records.of(Party::ap).keep([is_early](Topic topic, const Tag& tag) {
      return (topic == Topic::gradients || topic == Topic::sums) && is_early(tag);
    });
}

std::vector<Metric> attack_metrics(const RunSpec& spec, const PreparedData& data,
                                   const Records& records, ThreadPool& pool, uint64_t seed,
                                   const std::function<void(int, int)>& progress) {
  if (spec.attack.name == "none") return {};
  if (spec.attack.name == "audit") return audit_metrics(spec, pool, seed);  // on data of its own
  if (spec.attack.name == "transcript")
    return transcript_metrics(find_method(spec.method), spec, pool, seed);
  const AttackEntry& entry = find_attack(spec.attack.name);
  if (!entry.unavailable.empty()) return {{"attack", 0, "", -1, "skip", entry.unavailable}};
  const PartyData& own = entry.by == Party::ap ? data.ap : data.pp;
  const auto begin = std::chrono::steady_clock::now();
  const AttackResult result = entry.attack(
      {spec, own, data.train_labels.size(), records.tape.recorded(), records.of(entry.by).entries(),
       pool, derive_seed(seed, "attack " + entry.id), progress});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::vector<Metric> out = scored(result, spec, data);
  out.push_back({"attack_seconds", seconds.count(), "s"});
  return out;
}

}  // namespace maskbench
