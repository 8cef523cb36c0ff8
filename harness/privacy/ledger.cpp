#include "harness/privacy/ledger.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <cmath>

#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/theorem3.hpp"

namespace maskbench::privacy {
namespace {

using Kind = Mechanism::Kind;

// Within 9.1 per cent.
double round_up(double m) {
  return m > 0 ? std::exp2(static_cast<double>(Ledger::noise_class(m * m)) / 8) : 0;
}

// Twelve digits: the same message computed along two ways is one message.
double round_noise(double m) {
  if (m <= 0) return 0;
  const double scale = std::exp2(40 - std::ceil(std::log2(m)));
  return std::round(m * scale) / scale;
}

// Noise that is not there: no bound holds for anybody.
bool is_off(const Mechanism& mechanism) {
  return (mechanism.kind == Kind::gaussian && std::isinf(mechanism.m_record)) ||
         (mechanism.kind == Kind::response && std::isinf(mechanism.eps));
}

}  // namespace

int64_t Ledger::noise_class(double m_squared) {
  return static_cast<int64_t>(std::ceil(4 * std::log2(m_squared)));
}

// Shorter cycles leak more.
int64_t Ledger::counted_cycle(int64_t n_active, int64_t saturated) {
  const int64_t n = std::min(deciding_cycle(n_active), saturated);
  if (n <= 4) return n;
  int64_t power = 4;
  while (2 * power <= n) power *= 2;
  return n >= power + power / 2 ? power + power / 2 : power;
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

size_t Ledger::Hash::operator()(const Mechanism& mechanism) const {
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

size_t Ledger::Hash::operator()(const Slot& slot) const {
  size_t seed = size_t(slot.number);
  for (const int value : {slot.where.tree, slot.where.level, slot.where.node}) {
    boost::hash_combine(seed, value);
  }
  return seed;
}

int Ledger::intern(const Mechanism& mechanism) {
  Mechanism rounded = mechanism;
  if (rounded.kind == Kind::gaussian) {
    const bool by_record = unit_ == Unit::record;
    rounded.m_record = by_record ? round_noise(mechanism.m_record) : round_up(mechanism.m_record);
    rounded.m_vector = by_record ? round_up(mechanism.m_vector) : round_noise(mechanism.m_vector);
  }
  if (rounded.kind == Kind::theorem3) {
    rounded.n_active = counted_cycle(mechanism.n_active, saturating_n(mechanism.R));
  }
  const auto [entry, is_new] = numbers_.try_emplace(rounded, int(mechanisms_.size()));
  if (is_new) mechanisms_.push_back(rounded);
  return entry->second;
}

void Ledger::charge(const Charge& charge) {
  messages_ += charge.count;
  if (is_off(charge.mechanism)) {
    note({Note::Kind::exposed, View::stated, kNoNoise});
  } else {
    counts_[{charge.where, intern(charge.mechanism)}] += charge.count;
  }
}

void Ledger::charge_together(std::span<const Charge> charges) {
  ++messages_;
  Counts all;
  for (const Charge& charge : charges) {
    if (is_off(charge.mechanism)) return note({Note::Kind::exposed, View::stated, kNoNoise});
    all[intern(charge.mechanism)] += charge.count;
  }
  together_[charges.front().where].push_back(std::move(all));
}

void Ledger::add_trees(const Ledger& earlier, int trees) {
  // In the order of their numbers: the mechanisms are numbered here as they were there.
  const auto all = earlier.places();
  const auto wanted = [&](const Where& where) { return where.tree >= 0 && where.tree < trees; };
  for (size_t number = 0; number < earlier.mechanisms_.size(); ++number) {
    for (const auto& [where, place] : all) {
      const auto found = place.alone.find(int(number));
      if (!wanted(where) || found == place.alone.end()) continue;
      charge({earlier.mechanisms_[number], where, found->second});
    }
  }
  for (const auto& [where, place] : all) {
    if (!wanted(where)) continue;
    for (const Counts& group : place.together) {
      std::vector<Charge> charges;
      for (const auto& [number, count] : group)
        charges.push_back({earlier.mechanisms_[size_t(number)], where, count});
      charge_together(charges);
    }
  }
  notes_.insert(earlier.notes_.begin(), earlier.notes_.end());
  if (earlier.messages_ > 0) count_message();
}

void Ledger::note(Note note) {
  notes_.insert(std::move(note));
}

std::map<Where, Ledger::Place> Ledger::places() const {
  std::map<Where, Place> sorted;
  for (const auto& [slot, count] : counts_) sorted[slot.where].alone[slot.number] += count;
  for (const auto& [where, groups] : together_) sorted[where].together = groups;
  return sorted;
}

bool Ledger::is_covered() const {
  return std::ranges::any_of(
      mechanisms_, [](const Mechanism& mechanism) { return mechanism.kind != Kind::encrypted; });
}

}  // namespace maskbench::privacy
