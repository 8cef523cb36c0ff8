#include "harness/privacy/filter.hpp"

#include <algorithm>
#include <cmath>

#include "harness/privacy/contour.hpp"
#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/solve.hpp"
#include "harness/privacy/steps.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

using Kind = Mechanism::Kind;

int next_plan(int tree, int rounds) {
  return tree + std::max(1, (rounds - tree) / 4);
}

double scale_of(const Mechanism& mechanism, Unit unit) {
  return mechanism.kind == Kind::theorem3 ? mechanism.R : gaussian_ratio(mechanism, unit);
}

// To so few digits that the ledger, which keeps twelve, gives the same number back.
double rounded_down(double scale) {
  if (scale < 1e-30) return scale;
  const auto digits = static_cast<float>(scale);
  return digits > scale ? std::nextafter(digits, 0.0f) : digits;
}

// A message of the content as the ledger would count it.
Mechanism at_scale(Mechanism mechanism, double scale) {
  if (mechanism.kind == Kind::theorem3) {
    mechanism.R = scale;
    mechanism.n_active = Ledger::counted_cycle(mechanism.n_active, saturating_n(scale));
  } else {
    mechanism.m_record *= scale;
    mechanism.m_vector *= scale;
  }
  return mechanism;
}

NodeContent at_scale(const NodeContent& content, double scale) {
  NodeContent out;
  for (const auto& [mechanism, count] : content) out[at_scale(mechanism, scale)] += count;
  return out;
}

void add(NodeContent& sum, const NodeContent& content, double times) {
  for (const auto& [mechanism, count] : content) sum[mechanism] += times * count;
}

// The level that was sent with some scale, without it.
NodeContent without_scale(const Ledger& ledger, const Ledger::Counts& counts, Unit unit) {
  double largest = 0;
  for (const auto& [number, count] : counts)
    largest = std::max(largest, scale_of(ledger.mechanisms()[size_t(number)], unit));
  NodeContent out;
  for (const auto& [number, count] : counts) {
    Mechanism mechanism = ledger.mechanisms()[size_t(number)];
    if (mechanism.kind == Kind::theorem3) {
      mechanism.R = 0;
    } else {
      mechanism.m_record = mechanism.m_vector = gaussian_ratio(mechanism, unit) / largest;
    }
    out[mechanism] += double(count);
  }
  return out;
}

class Filter {
 public:
  Filter(const FilterPlan& plan, const Ledger& sent, std::span<const NodeContent> nodes)
      : plan_(plan), sent_(sent), nodes_(nodes) {
    const Places places = sent.places();
    for (const auto& [step, content] :
         costliest_contents(sent, places, Scope::training, plan.reading.unit)) {
      contents_[step] = content;
      for (const auto& [number, count] : content)
        past_[sent.mechanisms()[size_t(number)]] += double(count);
    }
  }

  bool is_first() const { return contents_.empty(); }

  // Of the level before, in the order in which they were sent.
  double last_scale() const {
    double largest = 0;
    for (const auto& [number, count] : contents_.rbegin()->second)
      largest = std::max(largest, scale_of(sent_.mechanisms()[size_t(number)], plan_.reading.unit));
    return largest;
  }

  double solve(int tree, int level) {
    foresee(tree, level);
    // Above the last scale by a factor that no level can need, below it likewise.
    const double start = is_first() ? 1e-3 : last_scale();
    double low = start, high = start;
    for (int k = 0; k < 60 && cost(low) > target(); ++k) low /= 16;
    for (int k = 0; k < 60 && high < 1e6 && cost(high) <= target(); ++k) high *= 4;
    return largest_below([&](double scale) { return cost(scale); }, target(), low, high, 1e-7);
  }

 private:
  // What is still to come after this level, without its scale.
  void foresee(int tree, int level) {
    const bool is_last = tree == plan_.rounds - 1;
    const int planned = is_last ? tree : next_plan(tree, plan_.rounds);
    if (!is_last) add(future_, plan_.most, double(planned - tree) * plan_.depth - (level + 1));
    for (int depth = 0; depth < plan_.depth; ++depth) {
      const int trees = is_last ? int(depth > level) : plan_.rounds - planned;
      if (trees > 0) add(future_, like_before(depth), trees);
    }
  }

  // The level of this depth in the latest tree that had it; else as this level.
  NodeContent like_before(int depth) const {
    for (auto step = contents_.rbegin(); step != contents_.rend(); ++step) {
      if (step->first.second == depth)
        return without_scale(sent_, step->second, plan_.reading.unit);
    }
    return costliest(1e-3);
  }

  // As the accountant chooses the node that a record is taken to be in.
  NodeContent costliest(double scale) const {
    double most = -1;
    const NodeContent* chosen = nullptr;
    std::map<Mechanism, double> weights;
    for (const NodeContent& node : nodes_) {
      double weight = 0;
      for (const auto& [mechanism, count] : node) {
        const Mechanism sent = at_scale(mechanism, scale);
        const auto [entry, is_new] = weights.try_emplace(sent, 0);
        if (is_new) entry->second = kl_weight(sent, plan_.reading.unit);
        weight += count * entry->second;
      }
      if (!(weight > most)) continue;
      most = weight;
      chosen = &node;
    }
    return chosen == nullptr ? NodeContent{} : *chosen;
  }

  // Exact sums of theorem 3 are compared by their delta, all others by their eps.
  bool by_delta() const {
    return plan_.reading.composition == Composition::pld &&
           plan_.most.begin()->first.kind == Kind::theorem3;
  }
  double target() const { return by_delta() ? std::log(plan_.delta) : plan_.eps; }

  double cost(double scale) {
    NodeContent all = past_;
    add(all, at_scale(costliest(scale), scale), 1);
    add(all, at_scale(future_, scale), 1);
    std::vector<CountedMechanism> steps;
    for (const auto& [mechanism, count] : all) steps.emplace_back(&mechanism, count);
    if (by_delta()) return std::log(std::max(theorem3_delta_of(steps, plan_.eps), 1e-300));
    return composed_cost(steps, plan_.reading, plan_.delta, &known_);
  }

  const FilterPlan& plan_;
  const Ledger& sent_;
  std::span<const NodeContent> nodes_;
  std::map<TreeLevel, Ledger::Counts> contents_;
  NodeContent past_, future_;
  EpsilonMemo known_;
};

}  // namespace

bool is_planned_anew(int tree, int level, int rounds) {
  if (tree == rounds - 1) return true;
  int planned = 0;
  while (planned < tree) planned = next_plan(planned, rounds);
  return level == 0 && planned == tree;
}

double filtered_scale(const FilterPlan& plan, const Ledger& sent, int tree, int level,
                      std::span<const NodeContent> nodes) {
  Filter filter(plan, sent, nodes);
  if (filter.is_first() || is_planned_anew(tree, level, plan.rounds))
    return rounded_down(filter.solve(tree, level));
  return filter.last_scale();
}

}  // namespace maskbench::privacy
