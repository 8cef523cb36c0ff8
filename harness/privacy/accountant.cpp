#include "harness/privacy/accountant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "harness/privacy/steps.hpp"
#include "harness/privacy/theorem2.hpp"

namespace maskbench::privacy {
namespace {

using Kind = Mechanism::Kind;

constexpr const char* kPairAtWidthOne =
    "<g> and <h> of a candidate share B and W = 1: <g> -+ <h> cancels the noise";

// <g> and <h> of a candidate share B: seen together, their Gaussians weigh more, except for draws
// of c and d that are nearly parallel. Returns the probability of those (at most `allowance`),
// infinite if they always are. A neighbour that moves h as well, by `share` of g's m, adds to the
// same distance: at most ((1 + share) m)^2/(1 - r^2).
double widen_pairs(std::vector<CountedMechanism>& steps, std::vector<Mechanism>& widened,
                   double allowance, double share) {
  double messages = 0, parallel = 0;
  for (const auto& step : steps) messages += step.second;
  widened.reserve(steps.size());  // steps will point into it
  for (auto& [mechanism, count] : steps) {
    if (mechanism->kind != Kind::gaussian || mechanism->shared_W == 0) continue;
    const double p = allowance / messages;
    const double factor = (1 + share) * std::sqrt(pair_inflation(mechanism->shared_W, p));
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

PrivacyAccountant::PrivacyAccountant(const Reading& reading, const Budget& budget, Ledger ap,
                                     Ledger pp)
    : reading_(reading), budget_(budget), ledgers_{std::move(ap), std::move(pp)} {}

Cost PrivacyAccountant::price(Party party, View view, const Reading& reading,
                              std::vector<CountedMechanism> steps) const {
  const Ledger& sent = ledger(party);
  double delta = party == Party::ap ? budget_.delta_ap : budget_.delta_pp;
  Cost cost{party, view, reading, std::numeric_limits<double>::infinity(), delta, {}};
  std::set<std::string> broken, grounds;
  for (const Note& note : sent.notes()) {
    // Where no mechanism covers anything, there is no claim that could leave a message out.
    const bool seen = note.from <= view || !sent.is_covered();
    if (note.kind == Note::Kind::exposed && seen) broken.insert(note.reason);
    const bool adds_up = reading.scope != Scope::message && reading.unit == Unit::record;
    if (note.kind == Note::Kind::caveat && adds_up) grounds.insert(note.reason);
    if (note.kind == Note::Kind::premise) grounds.insert(note.reason);
  }
  const auto is_encrypted = [](const auto& step) { return step.first->kind == Kind::encrypted; };
  if (std::ranges::any_of(steps, is_encrypted)) {
    (sent.is_covered() ? grounds : broken)
        .insert("rests on encryption, not on differential privacy");
  }
  std::vector<Mechanism> widened;
  if (view >= View::pair) {
    const double share = mu_of_hessian(reading.mu) / mu_of_gradient(reading.mu);
    const double parallel = widen_pairs(steps, widened, delta / 2, share);
    if (std::isinf(parallel)) broken.insert(kPairAtWidthOne);
    delta -= parallel;
  }
  cost.reason = join(broken);
  if (!broken.empty()) return cost;
  cost.eps = steps.empty() ? 0 : composed_cost(steps, reading, delta);
  if (sent.messages() == 0) grounds.insert("nothing is sent");
  cost.reason = join(grounds);
  return cost;
}

Cost PrivacyAccountant::cost(Party party, View view, const Reading& reading) const {
  const Ledger& sent = ledger(party);
  return price(party, view, reading,
               counted_steps(sent, sent.places(), reading.scope, reading.unit));
}

PrivacyReport PrivacyAccountant::report() const {
  PrivacyReport report{reading_, budget_, {}, {}};
  for (const Party party : {Party::ap, Party::pp}) {
    const Places sorted = ledger(party).places();
    std::map<std::pair<Scope, Unit>, std::vector<CountedMechanism>> known;
    const auto price_of = [&](View view, const Reading& reading) {
      auto& steps = known[{reading.scope, reading.unit}];
      if (steps.empty()) steps = counted_steps(ledger(party), sorted, reading.scope, reading.unit);
      return price(party, view, reading, steps);
    };
    for (const View view : {View::stated, View::pair, View::receiver, View::wire}) {
      report.run.push_back(price_of(view, reading_));
    }
    for (const Reading& reading : all_readings(reading_.mu)) {
      // The unit is AP's, the kind of theorem 3 PP's question.
      const bool idle = party == Party::ap ? reading.theorem3 == Theorem3Kind::printed
                                           : reading.unit == Unit::vector;
      if (!idle) report.elsewhere.push_back(price_of(View::stated, reading));
    }
  }
  return report;
}

}  // namespace maskbench::privacy
