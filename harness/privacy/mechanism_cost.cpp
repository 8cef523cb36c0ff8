#include "harness/privacy/mechanism_cost.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/privacy/composition.hpp"
#include "harness/privacy/contour.hpp"
#include "harness/privacy/gaussian.hpp"
#include "harness/privacy/pld.hpp"
#include "harness/privacy/rdp.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

using Kind = Mechanism::Kind;

bool all_of_kind(std::span<const CountedMechanism> steps, Kind kind) {
  return std::ranges::all_of(steps, [&](const auto& step) { return step.first->kind == kind; });
}

double total_count(std::span<const CountedMechanism> steps) {
  double sum = 0;
  for (const auto& [mechanism, count] : steps) sum += count;
  return sum;
}

double gaussian_together(std::span<const CountedMechanism> steps, Unit unit, double delta) {
  double squares = 0;
  for (const auto& [mechanism, count] : steps) {
    squares += count * std::pow(gaussian_ratio(*mechanism, unit), 2);
  }
  return gaussian_epsilon(std::sqrt(squares), delta);
}

double renyi_together(std::span<const CountedMechanism> steps, Unit unit, double delta) {
  const auto renyi = [&](double alpha) {
    double sum = 0;
    for (const auto& [mechanism, count] : steps) {
      sum += count * message_renyi(*mechanism, unit, alpha);
    }
    return sum;
  };
  return rdp_epsilon(renyi, delta);
}

QuadraticLoss theorem3_loss(std::span<const CountedMechanism> steps, Direction direction) {
  QuadraticLoss loss;
  for (const auto& [mechanism, count] : steps) {
    add_theorem3_loss(loss, deciding_cycle(mechanism->n_active), mechanism->R, mechanism->W,
                      direction, count);
  }
  return loss;
}

// Exact for messages that all change in one direction; the worse of the two.
double theorem3_together(std::span<const CountedMechanism> steps, double delta) {
  return std::max(hockey_stick_epsilon(theorem3_loss(steps, Direction::forward), delta),
                  hockey_stick_epsilon(theorem3_loss(steps, Direction::reverse), delta));
}

LossProfile profile_of(const Mechanism& mechanism, Unit unit) {
  if (mechanism.kind == Kind::gaussian) return gaussian_profile(gaussian_ratio(mechanism, unit));
  if (mechanism.kind == Kind::theorem3) {
    return theorem3_profile(deciding_cycle(mechanism.n_active), mechanism.R, mechanism.W,
                            Direction::reverse);
  }
  return bucket_response_profile(mechanism.eps, mechanism.buckets);
}

double pld_together(std::span<const CountedMechanism> steps, Unit unit, double delta) {
  std::vector<CountedProfile> profiles;
  for (const auto& [mechanism, count] : steps) {
    if (mechanism->kind != Kind::encrypted) {
      profiles.push_back({profile_of(*mechanism, unit), count});
    }
  }
  return profiles.empty() ? 0 : composed_epsilon(profiles, delta);
}

// Pure responses add up; what is computed on a grid can be a little above that.
double pure_sum(std::span<const CountedMechanism> steps) {
  double sum = 0;
  for (const auto& [mechanism, count] : steps) sum += count * mechanism->eps;
  return sum;
}

// basic, and advanced where it is the smaller of the two.
double simple_composition(std::span<const CountedMechanism> steps, const Reading& reading,
                          double delta, EpsilonMemo* known) {
  const auto epsilon = [&](const Mechanism& mechanism, double at) {
    if (known == nullptr) return message_epsilon(mechanism, reading, at);
    const auto [entry, is_new] = known->try_emplace({mechanism, at}, 0);
    if (is_new) entry->second = message_epsilon(mechanism, reading, at);
    return entry->second;
  };
  const double K = total_count(steps);
  double basic = 0;
  for (const auto& [mechanism, count] : steps) {
    basic += count * epsilon(*mechanism, delta / K);
  }
  if (reading.composition == Composition::basic) return basic;
  std::vector<CountedEpsilon> epsilons;
  for (const auto& [mechanism, count] : steps) {
    epsilons.push_back({epsilon(*mechanism, delta / (2 * K)), count});
  }
  return std::min(basic, advanced_composition(epsilons, delta / 2));
}

}  // namespace

int64_t deciding_cycle(int64_t n_active) {
  return std::max<int64_t>(n_active, 2);
}

double gaussian_ratio(const Mechanism& mechanism, Unit unit) {
  return unit == Unit::record ? mechanism.m_record : mechanism.m_vector;
}

double kl_weight(const Mechanism& mechanism, Unit unit) {
  switch (mechanism.kind) {
    case Kind::gaussian:
      return 0.5 * std::pow(gaussian_ratio(mechanism, unit), 2);
    case Kind::theorem3:
      return theorem3_kl(deciding_cycle(mechanism.n_active), mechanism.R, mechanism.W);
    case Kind::response:
      return mechanism.eps * std::tanh(mechanism.eps / 2);
    default:
      return 0;
  }
}

double message_epsilon(const Mechanism& mechanism, const Reading& reading, double delta) {
  switch (mechanism.kind) {
    case Kind::gaussian:
      return gaussian_epsilon(gaussian_ratio(mechanism, reading.unit), delta);
    case Kind::theorem3:
      return theorem3_epsilon(reading.theorem3, deciding_cycle(mechanism.n_active), mechanism.R,
                              delta, mechanism.W);
    case Kind::response:
      return mechanism.eps;
    default:
      return 0;
  }
}

double message_renyi(const Mechanism& mechanism, Unit unit, double alpha) {
  switch (mechanism.kind) {
    case Kind::gaussian:
      return 0.5 * alpha * std::pow(gaussian_ratio(mechanism, unit), 2);
    case Kind::theorem3:
      return theorem3_renyi(deciding_cycle(mechanism.n_active), mechanism.R, alpha, mechanism.W);
    case Kind::response: {
      const double other = 1 / (std::exp(mechanism.eps) + mechanism.buckets - 1);
      const double rest = (mechanism.buckets - 2) * other;
      const double moment = std::exp(alpha * mechanism.eps) * other +
                            std::exp((1 - alpha) * mechanism.eps) * other + rest;
      return std::min(mechanism.eps, std::log(moment) / (alpha - 1));
    }
    default:
      return 0;
  }
}

double theorem3_delta_of(std::span<const CountedMechanism> steps, double eps) {
  return std::max(hockey_stick(theorem3_loss(steps, Direction::forward), eps),
                  hockey_stick(theorem3_loss(steps, Direction::reverse), eps));
}

double composed_cost(std::span<const CountedMechanism> steps, const Reading& reading, double delta,
                     EpsilonMemo* known) {
  if (total_count(steps) == 1 && reading.composition != Composition::gdp) {
    Reading exact = reading;
    if (reading.composition == Composition::pld) exact.theorem3 = Theorem3Kind::tight;
    return message_epsilon(*steps.front().first, exact, delta);
  }
  if (reading.composition == Composition::basic || reading.composition == Composition::advanced) {
    return simple_composition(steps, reading, delta, known);
  }
  if (all_of_kind(steps, Kind::gaussian)) return gaussian_together(steps, reading.unit, delta);
  if (all_of_kind(steps, Kind::response))
    return std::min(pure_sum(steps), reading.composition == Composition::gdp
                                         ? renyi_together(steps, reading.unit, delta)
                                         : pld_together(steps, reading.unit, delta));
  if (reading.composition == Composition::gdp) return renyi_together(steps, reading.unit, delta);
  if (all_of_kind(steps, Kind::theorem3)) return theorem3_together(steps, delta);
  return pld_together(steps, reading.unit, delta);
}

}  // namespace maskbench::privacy
