#include "attacks/audit.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace maskbench {

namespace {

// "score > threshold" speaks for one, or "score < threshold" for zero.
struct Event {
  double threshold = 0;
  bool for_one = true;
  double eps = -1;  // that the trials it was chosen on show

  bool holds(double score) const { return for_one ? score > threshold : score < threshold; }
};

int64_t count(std::span<const double> scores, const Event& event) {
  return std::count_if(scores.begin(), scores.end(), [&](double s) { return event.holds(s); });
}

double bound(int64_t hits, int64_t alarms, int64_t trials, double delta, double confidence) {
  const double each = 1 - (1 - confidence) / 2;  // two rates, both must hold
  const double low = rate_at_least(hits, trials, each) - delta;
  const double high = rate_at_most(alarms, trials, each);
  return low > high ? std::log(low / high) : 0;
}

// Thresholds to try: quantiles of both samples, denser in the tails, where eps shows.
std::vector<double> thresholds(std::span<const double> zero, std::span<const double> one) {
  std::vector<double> out;
  for (const auto& sample : {zero, one}) {
    std::vector<double> sorted(sample.begin(), sample.end());
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    for (double k = 1; k < static_cast<double>(n); k *= 1.15) {
      out.push_back(sorted[static_cast<size_t>(k)]);
      out.push_back(sorted[n - 1 - static_cast<size_t>(k)]);
    }
    for (size_t k = 1; k < 64; ++k) out.push_back(sorted[k * n / 64]);
    out.push_back(std::midpoint(sorted.front(), sorted.back()));
  }
  return out;
}

Event best_event(std::span<const double> zero, std::span<const double> one, double delta,
                 double confidence) {
  Event best;
  const auto trials = static_cast<int64_t>(zero.size());
  for (const double threshold : thresholds(zero, one)) {
    for (const bool for_one : {true, false}) {
      Event event{threshold, for_one};
      event.eps = bound(count(for_one ? one : zero, event), count(for_one ? zero : one, event),
                        trials, delta, confidence);
      if (event.eps > best.eps) best = event;
    }
  }
  return best;
}

}  // namespace

double rate_at_most(int64_t hits, int64_t trials, double confidence) {
  if (hits == trials) return 1;
  const boost::math::beta_distribution<> beta(static_cast<double>(hits + 1),
                                              static_cast<double>(trials - hits));
  return boost::math::quantile(beta, confidence);
}

double rate_at_least(int64_t hits, int64_t trials, double confidence) {
  return 1 - rate_at_most(trials - hits, trials, confidence);
}

EpsBound eps_lower_bound(std::span<const double> zero, std::span<const double> one, double delta,
                         double confidence) {
  return eps_lower_bound({Trials{zero, one}}, delta, confidence);
}

EpsBound eps_lower_bound(const std::vector<Trials>& statistics, double delta, double confidence) {
  Event event;
  size_t chosen = 0;
  for (size_t k = 0; k < statistics.size(); ++k) {
    const auto& [zero, one] = statistics[k];
    const size_t half = std::min(zero.size(), one.size()) / 2;
    if (half < 2) continue;
    const Event best = best_event(zero.first(half), one.first(half), delta, confidence);
    if (best.eps <= event.eps) continue;
    event = best;
    chosen = k;
  }
  if (event.eps < 0) return {};
  const auto& [zero, one] = statistics[chosen];
  const size_t half = std::min(zero.size(), one.size()) / 2;
  const auto late = [&](std::span<const double> s) { return s.subspan(half, half); };
  const int64_t hits = count(late(event.for_one ? one : zero), event);
  const int64_t alarms = count(late(event.for_one ? zero : one), event);
  const auto trials = static_cast<int64_t>(half);
  return {bound(hits, alarms, trials, delta, confidence),
          static_cast<double>(hits) / static_cast<double>(half),
          static_cast<double>(alarms) / static_cast<double>(half), 2 * half, chosen};
}

}  // namespace maskbench
