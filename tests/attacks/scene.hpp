#pragma once

#include <map>
#include <string>

#include "harness/judge/attack_run.hpp"
#include "harness/judge/catalog.hpp"
#include "tests/support/toy.hpp"

namespace maskbench::scene {

inline PreparedData prepared(const toy::Parties& p) {
  PreparedData out;
  out.train_labels = p.data.labels;
  out.ap = p.ap;
  out.pp = p.pp;
  return out;
}

inline RunSpec spec(const std::string& method, const std::string& attack) {
  RunSpec out;
  out.method = method;
  out.mode = Mode::materialised;
  out.train.rounds = 2;
  out.train.max_depth = 3;
  out.attack.name = attack;
  return out;
}

// Trains the method on the data, runs the attack, returns its metrics by name. A skip is the value
// -1 of "skip", its reason in `reason`.
inline std::map<std::string, double> attack(const RunSpec& spec, const toy::Parties& parties,
                                            std::string* reason = nullptr) {
  Records records;
  keep_for_judge(spec, records);
  toy::train(find_method(spec.method), spec, parties, 2, records);
  ThreadPool pool(2);
  std::map<std::string, double> out;
  for (const Metric& m : attack_metrics(spec, prepared(parties), records, pool, 7)) {
    if (m.status == "skip" && reason != nullptr) *reason = m.reason;
    out[m.status == "skip" ? "skip" : m.name] = m.status == "skip" ? -1 : m.value;
  }
  return out;
}

}  // namespace maskbench::scene
