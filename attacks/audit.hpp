#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// A lower bound on eps by trial: if a mechanism is (eps, delta)-private, then for every event
// Pr(event | one) <= e^eps Pr(event | zero) + delta, and the same with the inputs swapped.
namespace maskbench {

// Clopper-Pearson: the true rate lies below (above) this with the given confidence.
double rate_at_most(int64_t hits, int64_t trials, double confidence);
double rate_at_least(int64_t hits, int64_t trials, double confidence);

struct EpsBound {
  double eps = 0;          // 0: nothing was shown
  double hit = 0;          // share of the event under the input it speaks for,
  double false_alarm = 0;  // ... and under the other; both on the second half of the trials
  size_t trials = 0;       // of each input
  size_t statistic = 0;    // which of them it is by
};

// One statistic over independent runs on two neighbouring inputs; larger speaks for `one`.
struct Trials {
  std::span<const double> zero, one;
};

// The event (which statistic, a threshold, and which input it speaks for) is chosen on the first
// half of the trials and judged on the second, so the choice costs no confidence.
EpsBound eps_lower_bound(const std::vector<Trials>& statistics, double delta,
                         double confidence = 0.95);
EpsBound eps_lower_bound(std::span<const double> zero, std::span<const double> one, double delta,
                         double confidence = 0.95);

}  // namespace maskbench
