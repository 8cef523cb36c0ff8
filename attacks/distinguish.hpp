#pragma once

#include <vector>

#include "attacks/attack.hpp"
#include "harness/exchange/method.hpp"

// How a reader of the wire tells two neighbouring inputs apart who knows everything else: all other
// rows, and the public parameters. The inputs differ in row 0 (see harness/judge/audit_run.cpp).
namespace maskbench {

// What the reader knows of the trainings it has to tell apart.
struct AuditedRow {
  std::vector<double> g;   // of every row before the first tree, if row 0 has the label 0
  double h = 0;            // of every row
  std::vector<uint8_t> m;  // every candidate's splitting vector, if row 0 is active
  double R = 0;            // masked: sigma1^2/sigma2^2 as agreed
};

using Samples = std::vector<double>;  // independent ones; larger speaks for label 1, or for active

struct Distinguisher {
  Party about;         // whose data differs
  privacy::View view;  // what the reader is taken to know
  const char* reads;
  Samples (*samples)(const AttackInput& input, const AuditedRow& row);
};

// Those that a method's messages have something for.
std::vector<Distinguisher> distinguishers(const std::vector<Evidence>& evidence,
                                          const RunSpec& spec);

}  // namespace maskbench
