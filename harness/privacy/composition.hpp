#pragma once

#include <cstdint>
#include <span>

namespace maskbench::privacy {

struct StepBudget {
  double eps, delta;
};

double basic_composition(double eps0, int64_t K);

// eps = sqrt(2 K ln(1/delta')) eps0 + K eps0 (e^eps0 - 1); the total delta is K delta0 + delta'.
double advanced_composition(double eps0, int64_t K, double delta_prime);

struct CountedEpsilon {
  double eps;
  double count;
};
// The same for unequal steps: sqrt(2 ln(1/delta') sum eps_i^2) + sum eps_i (e^eps_i - 1).
double advanced_composition(std::span<const CountedEpsilon> steps, double delta_prime);

// Per-step budgets from the total. One step gets everything. Advanced: half of delta is the slack
// delta', the other half is shared by the steps.
StepBudget basic_step(double eps, double delta, int64_t K);
StepBudget advanced_step(double eps, double delta, int64_t K);

// Gaussian differential privacy: K Gaussian steps of m are one of m sqrt(K), exactly.
double gdp_composition(double m, int64_t K);
double gdp_step(double eps, double delta, int64_t K);  // largest m of a step

}  // namespace maskbench::privacy
