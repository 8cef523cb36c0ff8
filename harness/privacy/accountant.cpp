#include "harness/privacy/accountant.hpp"

#include <algorithm>
#include <array>
#include <boost/functional/hash.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/theorem2.hpp"
#include "harness/privacy/theorem3.hpp"

namespace maskbench::privacy {
namespace {

using Kind = Mechanism::Kind;

// Up to the next 1/8 of an octave: an upper bound within 9.1 per cent.
double round_up(double m) {
  return m > 0 ? std::exp2(std::ceil(8 * std::log2(m)) / 8) : 0;
}

// Twelve digits: the same message computed along two ways is one message.
double round_noise(double m) {
  if (m <= 0) return 0;
  const double scale = std::exp2(40 - std::ceil(std::log2(m)));
  return std::round(m * scale) / scale;
}

// Down to 2, 3, 4, 6, 8, 12, 16 ...: shorter cycles leak more, so this is an upper bound.
int64_t round_cycle(int64_t n, double R) {
  n = std::min(deciding_cycle(n), saturating_n(R));
  if (n <= 4) return n;
  int64_t power = 4;
  while (2 * power <= n) power *= 2;
  return n >= power + power / 2 ? power + power / 2 : power;
}

constexpr const char* kPairAtWidthOne =
    "<g> and <h> of a candidate share B and W = 1: <g> -+ <h> cancels the noise";

// <g> and <h> of a candidate share B: seen together, their Gaussians weigh more, except for draws
// of c and d that are nearly parallel. Returns the probability of those (at most `allowance`),
// infinite if they always are.
double widen_pairs(std::vector<CountedMechanism>& steps, std::vector<Mechanism>& widened,
                   double allowance) {
  double messages = 0, parallel = 0;
  for (const auto& step : steps) messages += step.second;
  widened.reserve(steps.size());  // steps will point into it
  for (auto& [mechanism, count] : steps) {
    if (mechanism->kind != Kind::gaussian || mechanism->shared_W == 0) continue;
    const double p = allowance / messages;
    const double factor = std::sqrt(pair_inflation(mechanism->shared_W, p));
    if (std::isinf(factor)) return factor;
    widened.push_back(*mechanism);
    widened.back().m_record *= factor;
    widened.back().m_vector *= factor;
    mechanism = &widened.back();
    parallel += count * p;
  }
  return parallel;
}

std::string join(const std::set<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string_view to_string(Party value) {
  return value == Party::active ? "AP" : "PP";
}

std::string_view to_string(View value) {
  constexpr std::array<std::string_view, 4> names{"stated", "pair", "receiver", "wire"};
  return names[size_t(value)];
}

Mechanism Mechanism::gaussian(double m_record, double m_vector, int shared_W) {
  Mechanism mechanism;
  mechanism.kind = Kind::gaussian;
  mechanism.m_record = m_record;
  mechanism.m_vector = m_vector;
  mechanism.shared_W = shared_W;
  return mechanism;
}

Mechanism Mechanism::theorem3(double R, int W, int64_t n_active) {
  Mechanism mechanism;
  mechanism.kind = Kind::theorem3;
  mechanism.R = R;
  mechanism.W = W;
  mechanism.n_active = n_active;
  return mechanism;
}

Mechanism Mechanism::response(double eps, int buckets) {
  Mechanism mechanism;
  mechanism.kind = Kind::response;
  mechanism.eps = eps;
  mechanism.buckets = buckets;
  return mechanism;
}

Mechanism Mechanism::encrypted() {
  return {};
}

Mechanism Mechanism::exposed(View from, std::string reason) {
  Mechanism mechanism;
  mechanism.kind = Kind::exposed;
  mechanism.from = from;
  mechanism.reason = std::move(reason);
  return mechanism;
}

Mechanism Mechanism::caveat(std::string reason) {
  Mechanism mechanism = exposed(View::stated, std::move(reason));
  mechanism.kind = Kind::caveat;
  return mechanism;
}

PrivacyAccountant::PrivacyAccountant(const Reading& reading, const Budget& budget)
    : reading_(reading), budget_(budget) {}

size_t PrivacyAccountant::Hash::operator()(const Mechanism& mechanism) const {
  size_t seed = size_t(mechanism.kind);
  for (const double value : {mechanism.m_record, mechanism.m_vector, mechanism.R, mechanism.eps}) {
    boost::hash_combine(seed, value);
  }
  for (const int64_t value : {mechanism.n_active, int64_t(mechanism.shared_W), int64_t(mechanism.W),
                              int64_t(mechanism.buckets)}) {
    boost::hash_combine(seed, value);
  }
  return seed;
}

size_t PrivacyAccountant::Hash::operator()(const Slot& slot) const {
  size_t seed = size_t(slot.number);
  for (const int value : {slot.where.tree, slot.where.level, slot.where.node}) {
    boost::hash_combine(seed, value);
  }
  return seed;
}

int PrivacyAccountant::intern(const Mechanism& mechanism) {
  Mechanism rounded = mechanism;
  if (rounded.kind == Kind::gaussian) {
    const bool by_record = reading_.unit == Unit::record;
    rounded.m_record = by_record ? round_noise(mechanism.m_record) : round_up(mechanism.m_record);
    rounded.m_vector = by_record ? round_up(mechanism.m_vector) : round_noise(mechanism.m_vector);
  }
  if (rounded.kind == Kind::theorem3) {
    rounded.n_active = round_cycle(mechanism.n_active, mechanism.R);
  }
  const auto [entry, is_new] = numbers_.try_emplace(rounded, int(mechanisms_.size()));
  if (is_new) mechanisms_.push_back(rounded);
  return entry->second;
}

void PrivacyAccountant::charge(Party party, const Mechanism& mechanism, const Where& where,
                               int64_t count) {
  Ledger& ledger = ledgers_[size_t(party)];
  ledger.messages += count;
  if (mechanism.kind == Kind::exposed || mechanism.kind == Kind::caveat) {
    ledger.notes.insert(mechanism);
  } else {
    ledger.counts[{where, intern(mechanism)}] += count;
  }
}

int64_t PrivacyAccountant::messages(Party party) const {
  return ledgers_[size_t(party)].messages;
}

PrivacyAccountant::Places PrivacyAccountant::places(Party party) const {
  Places sorted;
  for (const auto& [slot, count] : ledgers_[size_t(party)].counts) {
    sorted[slot.where][slot.number] += count;
  }
  return sorted;
}

// The messages that count under a scope: the worst one of all, of each tree, of each level; or all
// that a record meets on its way down, in each level the costliest node.
std::vector<CountedMechanism> PrivacyAccountant::steps_of(const Places& places, Scope scope,
                                                          Unit unit) const {
  std::vector<double> weights;
  for (const Mechanism& mechanism : mechanisms_) weights.push_back(kl_weight(mechanism, unit));
  struct Choice {
    double weight = -1;
    Counts content;
  };
  std::map<std::pair<int, int>, Choice> choices;  // of each step, its costliest content
  for (const auto& [where, counts] : places) {
    std::pair<int, int> step{where.tree, where.level};
    if (scope == Scope::message) step = {0, 0};
    if (scope == Scope::tree) step.second = 0;
    Choice& choice = choices[step];
    double sum = 0;
    for (const auto& [number, count] : counts) {
      const double weight = weights[size_t(number)];
      sum += double(count) * weight;
      if (scope != Scope::training && weight > choice.weight) choice = {weight, {{number, 1}}};
    }
    if (scope == Scope::training && sum > choice.weight) choice = {sum, counts};
  }
  Counts total;
  for (const auto& [step, choice] : choices) {
    for (const auto& [number, count] : choice.content) total[number] += count;
  }
  std::vector<Step> steps;
  for (const auto& [number, count] : total) {
    steps.emplace_back(&mechanisms_[size_t(number)], double(count));
  }
  return steps;
}

Cost PrivacyAccountant::price(Party party, View view, const Reading& reading,
                              std::vector<Step> steps) const {
  const Ledger& ledger = ledgers_[size_t(party)];
  double delta = party == Party::active ? budget_.delta_ap : budget_.delta_pp;
  Cost cost{party, view, reading, std::numeric_limits<double>::infinity(), delta, {}};
  std::set<std::string> broken, grounds;
  for (const Mechanism& note : ledger.notes) {
    if (note.kind == Kind::exposed && note.from <= view) broken.insert(note.reason);
    const bool adds_up = reading.scope != Scope::message && reading.unit == Unit::record;
    if (note.kind == Kind::caveat && adds_up) grounds.insert(note.reason);
  }
  std::vector<Mechanism> widened;
  if (view >= View::pair) {
    const double parallel = widen_pairs(steps, widened, delta / 2);
    if (std::isinf(parallel)) broken.insert(kPairAtWidthOne);
    delta -= parallel;
  }
  cost.reason = join(broken);
  if (!broken.empty()) return cost;
  cost.eps = steps.empty() ? 0 : composed_cost(steps, reading, delta);
  const auto is_encrypted = [](const auto& step) { return step.first->kind == Kind::encrypted; };
  if (std::ranges::any_of(steps, is_encrypted)) {
    grounds.insert("rests on encryption, not on differential privacy");
  }
  if (ledger.messages == 0) grounds.insert("nothing is sent");
  cost.reason = join(grounds);
  return cost;
}

Cost PrivacyAccountant::cost(Party party, View view, const Reading& reading) const {
  return price(party, view, reading, steps_of(places(party), reading.scope, reading.unit));
}

PrivacyReport PrivacyAccountant::report() const {
  PrivacyReport report{reading_, budget_, {}, {}};
  for (const Party party : {Party::active, Party::passive}) {
    const Places sorted = places(party);
    std::map<std::pair<Scope, Unit>, std::vector<Step>> known;
    const auto price_of = [&](View view, const Reading& reading) {
      auto& steps = known[{reading.scope, reading.unit}];
      if (steps.empty()) steps = steps_of(sorted, reading.scope, reading.unit);
      return price(party, view, reading, steps);
    };
    for (const View view : {View::stated, View::pair, View::receiver, View::wire}) {
      report.run.push_back(price_of(view, reading_));
    }
    for (const Reading& reading : all_readings(reading_.mu)) {
      // The unit is AP's, the kind of theorem 3 PP's question.
      const bool idle = party == Party::active ? reading.theorem3 == Theorem3Kind::printed
                                               : reading.unit == Unit::vector;
      if (!idle) report.elsewhere.push_back(price_of(View::stated, reading));
    }
  }
  return report;
}

}  // namespace maskbench::privacy
