#include "harness/privacy/readings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "harness/privacy/errors.hpp"

namespace maskbench::privacy {
namespace {

template <Named Enum>
Enum parse(std::string_view what, std::string_view text) {
  if (const auto value = from_name<Enum>(text)) return *value;
  throw InvalidBudget(
      fmt::format("privacy.{}: '{}' is not one of {}", what, text, fmt::join(kNames<Enum>, ", ")));
}

}  // namespace

Scope parse_scope(std::string_view text) {
  return parse<Scope>("scope", text);
}
Unit parse_unit(std::string_view text) {
  return parse<Unit>("unit", text);
}
Composition parse_composition(std::string_view text) {
  return parse<Composition>("composition", text);
}
MuKind parse_mu(std::string_view text) {
  return parse<MuKind>("mu", text);
}
Theorem3Kind parse_theorem3(std::string_view text) {
  return parse<Theorem3Kind>("theorem3", text);
}
Preset parse_preset(std::string_view text) {
  return parse<Preset>("reading", text);
}

Reading preset_reading(Preset preset, Family family) {
  switch (preset) {
    case Preset::paper:
      // The only combination whose curves look as the paper's text describes them; not a fair
      // comparison: masked's budget holds a message, the baselines' budget a training of trees.
      return {family == Family::masked ? Scope::message : Scope::tree, Unit::record,
              Composition::advanced, MuKind::paper, Theorem3Kind::printed};
    case Preset::message:
      // masked's own treatment for all: like for like, though no training is covered by it.
      return {Scope::message, Unit::record, Composition::advanced, MuKind::paper,
              Theorem3Kind::printed};
    case Preset::equal:
      // tight: as printed theorem 3 has no solution below K steps of W ln 2.
      return {Scope::training, Unit::record, Composition::advanced, MuKind::paper,
              Theorem3Kind::tight};
    case Preset::sound:
      return {Scope::training, Unit::record, Composition::pld, MuKind::label, Theorem3Kind::tight};
  }
  throw InvalidBudget("unknown preset");
}

Leaves preset_leaves(Preset preset) {
  return preset == Preset::paper ? Leaves::noisy : Leaves::clean;
}

std::string to_string(const Reading& reading) {
  return fmt::format("{}/{}/{}/{}/{}", name_of(reading.scope), name_of(reading.unit),
                     name_of(reading.composition), name_of(reading.mu), name_of(reading.theorem3));
}

std::vector<Reading> all_readings(MuKind mu) {
  std::vector<Reading> list;
  for (const Scope scope : {Scope::message, Scope::tree, Scope::level, Scope::training}) {
    for (const Unit unit : {Unit::record, Unit::vector}) {
      for (const Composition composition :
           {Composition::basic, Composition::advanced, Composition::gdp, Composition::pld}) {
        if (composition == Composition::basic || composition == Composition::advanced) {
          list.push_back({scope, unit, composition, mu, Theorem3Kind::printed});
        }
        list.push_back({scope, unit, composition, mu, Theorem3Kind::tight});
      }
    }
  }
  return list;
}

double mu_of_gradient(MuKind kind) {
  switch (kind) {
    case MuKind::paper:
      return 2 * std::numbers::e / (std::numbers::e + 1);  // 2 sigmoid(1): margins in [-1, 1]
    case MuKind::label:
      return 1;  // a flipped label moves g = p - y by exactly 1
    case MuKind::range:
      return 2;  // g in (-1, 1)
  }
  throw InvalidBudget("unknown mu");
}

double mu_of_hessian(MuKind kind) {
  switch (kind) {
    case MuKind::paper:
      return mu_of_gradient(kind);  // the paper uses one mu for both
    case MuKind::label:
      return 0;  // h = p (1 - p) does not see the label
    case MuKind::range:
      return 0.25;
  }
  throw InvalidBudget("unknown mu");
}

int64_t steps(Scope scope, const Shape& shape) {
  switch (scope) {
    case Scope::message:
      return 1;
    case Scope::tree:
      return shape.rounds;
    case Scope::level:
      return shape.rounds * shape.depth;
    case Scope::training:
      return shape.messages;
  }
  throw InvalidBudget("unknown scope");
}

}  // namespace maskbench::privacy
