#include "attacks/min_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/random.hpp"

namespace maskbench {

namespace {

constexpr size_t kDrawn = 4;
constexpr size_t kTries = 20;  // a row

class Search {
 public:
  Search(std::span<const std::span<const float>> columns, uint64_t seed)
      : columns_(columns),
        n_(static_cast<uint32_t>(columns[0].size())),
        sums_(columns.size(), 0.0),
        draws_(derive_key(seed, "min-sum")),
        order_(n_) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  // order_[0, count) are the chosen places.
  void greedy(uint32_t count) {
    for (uint32_t chosen = 0; chosen < count; ++chosen) {
      uint32_t best = chosen;
      double best_cost = HUGE_VAL;
      for (size_t k = 0; k < kDrawn; ++k) {
        const uint32_t at = chosen + draws_.below(n_ - chosen);
        const double cost = cost_after(order_[at], -1);
        if (cost < best_cost) {
          best = at;
          best_cost = cost;
        }
      }
      apply(order_[best], 1);
      std::swap(order_[chosen], order_[best]);
    }
  }

  void swaps(uint32_t count) {
    double cost = cost_after(-1, -1);
    for (size_t idle = 0; idle < kTries * n_; ++idle) {
      uint32_t& out = order_[draws_.below(count)];
      uint32_t& in = order_[count + draws_.below(n_ - count)];
      const double after = cost_after(in, out);
      if (!(after < cost)) continue;
      apply(in, 1);
      apply(out, -1);
      std::swap(in, out);
      cost = after;
      idle = 0;
      if (cost < 1e-4 * static_cast<double>(columns_.size())) return;
    }
  }

  std::vector<uint32_t> chosen(uint32_t count) const {
    return {order_.begin(), order_.begin() + count};
  }

 private:
  double cost_after(int64_t in, int64_t out) const {
    double cost = 0;
    for (size_t k = 0; k < sums_.size(); ++k) {
      double sum = sums_[k];
      if (in >= 0) sum += columns_[k][static_cast<size_t>(in)];
      if (out >= 0) sum -= columns_[k][static_cast<size_t>(out)];
      cost += std::abs(sum);
    }
    return cost;
  }

  void apply(uint32_t place, int sign) {
    for (size_t k = 0; k < sums_.size(); ++k) sums_[k] += sign * double{columns_[k][place]};
  }

  std::span<const std::span<const float>> columns_;
  uint32_t n_;
  std::vector<double> sums_;
  Draws draws_;
  std::vector<uint32_t> order_;
};

}  // namespace

std::vector<uint32_t> min_sum_rows(std::span<const std::span<const float>> columns, size_t count,
                                   uint64_t seed) {
  const auto chosen = static_cast<uint32_t>(count);
  Search search(columns, seed);
  search.greedy(chosen);
  if (chosen > 0 && chosen < columns[0].size()) search.swaps(chosen);
  return search.chosen(chosen);
}

}  // namespace maskbench
