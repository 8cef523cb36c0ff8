#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/reading.hpp"

namespace maskbench::privacy {

enum class Family { masked, ldp };   // `paper` reads the two differently
enum class Leaves { clean, noisy };  // of the LDP baselines

// Throw InvalidBudget with the list of what is known.
Scope parse_scope(std::string_view text);
Unit parse_unit(std::string_view text);
Composition parse_composition(std::string_view text);
MuKind parse_mu(std::string_view text);
Theorem3Kind parse_theorem3(std::string_view text);
Preset parse_preset(std::string_view text);

Reading preset_reading(Preset preset, Family family);
Leaves preset_leaves(Preset preset);
std::string to_string(const Reading& reading);  // "scope/unit/composition/mu/theorem3"

// Every scope x unit x composition x theorem 3 that means something: gdp and pld are always tight.
std::vector<Reading> all_readings(MuKind mu);

// mu: the largest change of g (and of h) a neighbour may make.
double mu_of_gradient(MuKind kind);
double mu_of_hessian(MuKind kind);

// How often one record is spoken of: messages is the number in a whole training, e.g. for masked
// rounds * depth * candidates a node (a record lies in one node of each level).
struct Shape {
  int64_t rounds = 1;
  int64_t depth = 1;
  int64_t messages = 1;
};

int64_t steps(Scope scope, const Shape& shape);

}  // namespace maskbench::privacy
