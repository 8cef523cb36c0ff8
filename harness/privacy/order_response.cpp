#include "harness/privacy/order_response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/privacy/solve.hpp"

namespace maskbench::privacy {

OrderResponse::OrderResponse(double eps, int buckets) : buckets_(buckets) {
  for (int from = 0; from < buckets; ++from) {
    std::vector<double> weights;
    double all = 0, sum = 0;
    for (int to = 0; to < buckets; ++to) {
      const int distance = std::abs(from - to);
      weights.push_back(distance == 0 ? 1 : std::exp(-eps * distance / 2));
      all += weights.back();
    }
    for (const double weight : weights) {
      sum += weight;
      chances_.push_back(weight / all);
      up_to_.push_back(sum / all);
    }
  }
}

double OrderResponse::probability(int from, int to) const {
  return chances_[static_cast<size_t>(from * buckets_ + to)];
}

int OrderResponse::draw(int from, double uniform) const {
  const auto begin = up_to_.begin() + from * buckets_;
  const auto end = begin + buckets_ - 1;  // the last takes what rounding leaves
  return static_cast<int>(std::upper_bound(begin, end, uniform) - begin);
}

double OrderResponse::worst() const {
  double out = 0;
  for (int to = 0; to < buckets_; ++to) {
    double low = 1, high = 0;
    for (int from = 0; from < buckets_; ++from) {
      low = std::min(low, probability(from, to));
      high = std::max(high, probability(from, to));
    }
    out = std::max(out, low > 0 ? std::log(high / low) : std::numeric_limits<double>::infinity());
  }
  return out;
}

double order_step(double eps, int buckets) {
  const auto worst = [&](double step) { return OrderResponse(step, buckets).worst(); };
  return largest_below(worst, eps, 1e-12, 2 * eps, 1e-12);
}

}  // namespace maskbench::privacy
