#include "harness/privacy/spend.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/privacy/composition.hpp"
#include "harness/privacy/mechanism_cost.hpp"
#include "harness/privacy/solve.hpp"
#include "harness/privacy/theorem3_tight.hpp"

namespace maskbench::privacy {
namespace {

constexpr int64_t kShortestCycle = 2;

// What several mechanisms, each that often, cost together.
double cost_of(const std::vector<std::pair<Mechanism, double>>& sent, const Reading& reading,
               double delta) {
  std::vector<CountedMechanism> steps;
  for (const auto& [mechanism, count] : sent) steps.emplace_back(&mechanism, count);
  return composed_cost(steps, reading, delta);
}

}  // namespace

double spend_on_gaussians(const Reading& reading, double eps, double delta,
                          std::span<const GaussianShare> messages) {
  const auto cost = [&](double m) {
    std::vector<std::pair<Mechanism, double>> sent;
    for (const GaussianShare& message : messages) {
      const double own = m * message.share;
      if (own > 0) sent.emplace_back(Mechanism::gaussian(own, own), message.count);
    }
    return cost_of(sent, reading, delta);
  };
  return largest_below(cost, eps, 1e-150, 1e6, 1e-10);
}

double spend_on_vectors(const Reading& reading, double eps, double delta, int W, int64_t K) {
  if (reading.composition == Composition::pld)
    return R_max_composed(kShortestCycle, eps, delta, W, K);
  if (reading.composition == Composition::gdp) return R_max_rdp(kShortestCycle, eps, delta, W, K);
  const auto ratio = [&](const StepBudget& step) {
    return solve_ratio(reading.theorem3, kShortestCycle, step.eps, step.delta, W);
  };
  const double basic = ratio(basic_step(eps, delta, K));
  if (reading.composition == Composition::basic) return basic;
  return std::max(basic, ratio(advanced_step(eps, delta, K)));
}

double spend_on_responses(const Reading& reading, double eps, double delta,
                          std::span<const int> buckets) {
  std::map<int, double> alike;
  for (const int q : buckets) ++alike[q];
  if (alike.empty()) return eps;
  const auto cost = [&](double each) {
    std::vector<std::pair<Mechanism, double>> sent;
    for (const auto& [q, count] : alike) sent.emplace_back(Mechanism::response(each, q), count);
    return cost_of(sent, reading, delta);
  };
  const double even = eps / static_cast<double>(buckets.size());  // costs eps at most
  return buckets.size() == 1 ? eps : largest_below(cost, eps, even, eps, 1e-6);
}

}  // namespace maskbench::privacy
