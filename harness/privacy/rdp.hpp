#pragma once

#include <functional>
#include <span>

namespace maskbench::privacy {

// The orders tried: 1.01 ... 1.09, 1.1 ... 10.9, 12 ... 63, then powers of two.
std::span<const double> renyi_orders();

// (eps, delta) from a Renyi curve, minimised over the orders:
// eps = D_alpha + ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1).
double rdp_epsilon(const std::function<double(double)>& renyi, double delta);

}  // namespace maskbench::privacy
