#include "harness/privacy/steps.hpp"

namespace maskbench::privacy {

std::map<TreeLevel, Ledger::Counts> costliest_contents(const Ledger& ledger, const Places& places,
                                                       Scope scope, Unit unit) {
  std::vector<double> weights;
  for (const Mechanism& mechanism : ledger.mechanisms())
    weights.push_back(kl_weight(mechanism, unit));
  const auto weight_of = [&](const Ledger::Counts& counts) {
    double sum = 0;
    for (const auto& [number, count] : counts) sum += double(count) * weights[size_t(number)];
    return sum;
  };
  std::map<TreeLevel, double> heaviest;
  std::map<TreeLevel, Ledger::Counts> contents;
  for (const auto& [where, place] : places) {
    TreeLevel step{where.tree, where.level};
    if (scope == Scope::message) step = {0, 0};
    if (scope == Scope::tree) step.second = 0;
    double& most = heaviest.try_emplace(step, -1).first->second;
    const auto consider = [&](const Ledger::Counts& counts) {
      const double weight = weight_of(counts);
      if (!(weight > most)) return;
      most = weight;
      contents[step] = counts;
    };
    if (scope == Scope::training) {
      Ledger::Counts all = place.alone;
      for (const Ledger::Counts& counts : place.together) {
        for (const auto& [number, count] : counts) all[number] += count;
      }
      consider(all);
      continue;
    }
    for (const auto& [number, count] : place.alone) consider({{number, 1}});
    for (const Ledger::Counts& counts : place.together) consider(counts);
  }
  return contents;
}

std::vector<CountedMechanism> counted_steps(const Ledger& ledger, const Places& places, Scope scope,
                                            Unit unit) {
  Ledger::Counts total;
  for (const auto& [step, content] : costliest_contents(ledger, places, scope, unit)) {
    for (const auto& [number, count] : content) total[number] += count;
  }
  std::vector<CountedMechanism> steps;
  for (const auto& [number, count] : total) {
    steps.emplace_back(&ledger.mechanisms()[size_t(number)], double(count));
  }
  return steps;
}

}  // namespace maskbench::privacy
