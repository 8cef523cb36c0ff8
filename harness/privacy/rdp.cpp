#include "harness/privacy/rdp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace maskbench::privacy {

std::span<const double> renyi_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> list;
    for (int i = 1; i < 10; ++i) list.push_back(1 + i / 100.0);
    for (int i = 1; i < 100; ++i) list.push_back(1 + i / 10.0);
    for (int i = 12; i < 64; ++i) list.push_back(i);
    for (int i = 64; i <= 4096; i *= 2) list.push_back(i);
    return list;
  }();
  return orders;
}

double rdp_epsilon(const std::function<double(double)>& renyi, double delta) {
  double best = std::numeric_limits<double>::infinity();
  for (const double alpha : renyi_orders()) {
    const double eps =
        renyi(alpha) + std::log1p(-1 / alpha) - (std::log(delta) + std::log(alpha)) / (alpha - 1);
    best = std::min(best, std::max(eps, 0.0));
  }
  return best;
}

}  // namespace maskbench::privacy
