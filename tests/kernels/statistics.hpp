#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace maskbench::kernels {

// Counts of integer draws that should be round(kSteps z), z a standard normal. All statistics are
// exact functions of the counts, so 10^9 draws cost no more memory than 10^7.
class NormalSample {
 public:
  static constexpr int kSteps = 4096;
  static constexpr int kReach = 10 * kSteps;

  NormalSample() : count_(2 * kReach + 1, 0) {}

  void add(std::span<const int32_t> draws) {
    for (int32_t x : draws) ++count_[static_cast<size_t>(std::clamp(x, -kReach, kReach) + kReach)];
    total_ += static_cast<double>(draws.size());
  }

  double total() const { return total_; }

  // Mean of z^power.
  double moment(int power) const {
    double sum = 0;
    each([&](int x, double n) { sum += n * std::pow(static_cast<double>(x) / kSteps, power); });
    return sum / total_;
  }

  double beyond(double sigma) const {
    double sum = 0;
    each([&](int x, double n) { sum += std::abs(x) > sigma * kSteps ? n : 0; });
    return sum;
  }

  // Kolmogorov's sqrt(n) D, and Anderson and Darling's A^2, on the grid.
  double kolmogorov() const {
    double largest = 0;
    each_cdf([&](double empirical, double exact, double) {
      largest = std::max(largest, std::abs(empirical - exact));
    });
    return largest * std::sqrt(total_);
  }

  double anderson_darling() const {
    double sum = 0;
    each_cdf([&](double empirical, double exact, double mass) {
      if (exact > 0 && exact < 1) {
        sum += (empirical - exact) * (empirical - exact) / (exact * (1 - exact)) * mass;
      }
    });
    return sum * total_;
  }

 private:
  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < count_.size(); ++i) {
      if (count_[i] > 0) visit(static_cast<int>(i) - kReach, static_cast<double>(count_[i]));
    }
  }

  template <class Visit>
  void each_cdf(Visit visit) const {
    double below = 0;
    double previous = 0;
    for (size_t i = 0; i < count_.size(); ++i) {
      below += static_cast<double>(count_[i]);
      const double edge = (static_cast<double>(i) - kReach + 0.5) / kSteps;
      const double exact = std::erfc(-edge / std::sqrt(2.0)) / 2;
      visit(below / total_, exact, exact - previous);
      previous = exact;
    }
  }

  std::vector<uint64_t> count_;
  double total_ = 0;
};

// Names what is not as for a standard normal. Every threshold has a false-alarm rate of about 1e-5
// (4.4 standard deviations; sqrt(n) D of 2.5; A^2 of 12).
inline std::vector<std::string> judge(const NormalSample& sample) {
  constexpr double kSigmas = 4.4;
  const double n = sample.total();
  std::vector<std::string> wrong;
  const auto check = [&](const char* name, double value, double expected, double deviation) {
    if (std::abs(value - expected) > kSigmas * deviation) wrong.emplace_back(name);
  };
  check("mean", sample.moment(1), 0, std::sqrt(1 / n));
  check("variance", sample.moment(2), 1, std::sqrt(2 / n));
  check("skewness", sample.moment(3), 0, std::sqrt(15 / n));
  check("kurtosis", sample.moment(4), 3, std::sqrt(96 / n));
  if (sample.kolmogorov() > 2.5) wrong.emplace_back("kolmogorov");
  if (sample.anderson_darling() > 12) wrong.emplace_back("anderson-darling");
  for (double sigma : {3.0, 4.0, 4.5, 5.0, 5.5}) {
    const double edge = (std::floor(sigma * NormalSample::kSteps) + 0.5) / NormalSample::kSteps;
    const double expected = n * std::erfc(edge / std::sqrt(2.0));
    // The Poisson's own skew matters where few are expected: two counts of slack.
    check("tail", sample.beyond(sigma), expected, std::sqrt(expected) + 2 / kSigmas);
  }
  return wrong;
}

// sqrt(n) times the correlation of z_j and z_{j+lag}; standard normal for independent draws.
inline double lag_score(std::span<const int32_t> draws, size_t lag) {
  double sum = 0;
  for (size_t j = 0; j + lag < draws.size(); ++j) {
    sum += static_cast<double>(draws[j]) * draws[j + lag];
  }
  const double scale = static_cast<double>(NormalSample::kSteps) * NormalSample::kSteps;
  return sum / scale / std::sqrt(static_cast<double>(draws.size() - lag));
}

}  // namespace maskbench::kernels
