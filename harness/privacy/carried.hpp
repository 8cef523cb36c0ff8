#pragma once

#include <functional>
#include <string>

// Between a budget and the noise that is drawn lie a grid of integers and random bits of finite
// number. A budget that they cannot carry must not be run: the noise would be lost, and the claim
// would not.
namespace maskbench::privacy {

// Throws InvalidBudget, which names the key and the nearest budget that works, unless
// low <= eps <= high.
void check_carried(const std::string& key, double eps, double low, double high);

// Randomised response flips with probability about e^-eps, drawn in steps of 2^-53; what undoes it
// divides by about eps.
inline constexpr double kLeastResponseEps = 1e-9;
inline constexpr double kMostResponseEps = 30;

// The same for Gaussian noise, whose sigma falls with eps: low <= sigma(eps) <= high.
void check_sigma_carried(const std::string& key, double eps,
                         const std::function<double(double eps)>& sigma, double low, double high);

}  // namespace maskbench::privacy
